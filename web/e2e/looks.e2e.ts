// How the page looks, against pictures that were looked at: two themes, three widths.
// Pictures are kept at an eighth of their size, so that letters drawn a little
// otherwise by another machine do not matter, and a panel that is gone does.
// TARE_LOOKS=update npm run e2e -- looks rewrites them: look at them then.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launch, open } from './browser';
import { page as pageOf } from './pages';

const kept = fileURLToPath(new URL('./looks/', import.meta.url));
const SHRINK = 8;
/** Of 255: a block that differs by more has other content. */
const OTHER = 40;
/** Share of blocks that may. */
const FEW = 0.03;

let browser: Browser;
let desk: Page;
beforeAll(async () => {
  browser = await launch();
  desk = await browser.newPage();
});
afterAll(() => browser.close());

/** look is a page from its top, shrunk, as a PNG's data URL. Not with image.decode(), which waits for a frame that is drawn. */
async function look(name: string, width: number, scheme: 'light' | 'dark'): Promise<string> {
  const { page } = await open(browser, pageOf(name), { width, scheme });
  const clip = { x: 0, y: 0, width, height: 2400 };
  const shot = (await page.screenshot({ fullPage: true, clip })).toString('base64');
  await page.context().close();
  return desk.evaluate(async ([url, by]) => {
    const image = await createImageBitmap(await (await fetch(url)).blob());
    const canvas = document.createElement('canvas');
    canvas.width = Math.round(image.width / by);
    canvas.height = Math.round(image.height / by);
    const pen = canvas.getContext('2d')!;
    pen.imageSmoothingQuality = 'high';
    pen.drawImage(image, 0, 0, canvas.width, canvas.height);
    return canvas.toDataURL('image/png');
  }, [`data:image/png;base64,${shot}`, SHRINK] as const);
}

/** differing is the share of blocks in which two pictures have other content. */
function differing(a: string, b: string): Promise<number> {
  return desk.evaluate(async ([one, two, other]) => {
    const pixels = await Promise.all([one, two].map(async (url) => {
      const image = await createImageBitmap(await (await fetch(url)).blob());
      const canvas = document.createElement('canvas');
      [canvas.width, canvas.height] = [image.width, image.height];
      const pen = canvas.getContext('2d')!;
      pen.drawImage(image, 0, 0);
      return pen.getImageData(0, 0, image.width, image.height);
    }));
    const [p, q] = pixels as [ImageData, ImageData];
    if (p.width !== q.width || p.height !== q.height) return 1;
    let n = 0;
    for (let i = 0; i < p.data.length; i += 4) {
      const most = Math.max(...[0, 1, 2].map((k) => Math.abs(p.data[i + k]! - q.data[i + k]!)));
      if (most > other) n++;
    }
    return n / (p.data.length / 4);
  }, [a, b, OTHER] as const);
}

const stored = (name: string) => `data:image/png;base64,${readFileSync(`${kept}${name}.png`).toString('base64')}`;

test.each(['demo', 'golden-layers'])('%s looks as it did', async (name) => {
  for (const width of [400, 800, 1280]) {
    for (const scheme of ['light', 'dark'] as const) {
      const now = await look(name, width, scheme);
      const file = `${name}-${width}-${scheme}`;
      if (process.env['TARE_LOOKS'] === 'update') {
        mkdirSync(kept, { recursive: true });
        writeFileSync(`${kept}${file}.png`, Buffer.from(now.split(',')[1]!, 'base64'));
      }
      expect(existsSync(`${kept}${file}.png`), `no picture of ${file}`).toBe(true);
      expect(await differing(stored(file), now), file).toBeLessThan(FEW);
    }
  }
});

test('another theme, and another page, look different', async () => {
  expect(await differing(stored('demo-800-light'), stored('demo-800-dark'))).toBeGreaterThan(0.5);
  expect(await differing(stored('demo-800-light'), stored('golden-layers-800-light'))).toBeGreaterThan(2 * FEW);
});
