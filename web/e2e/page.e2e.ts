// What must hold on every page, in every theme and at every width.

import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launch, open, resize } from './browser';
import { names, page as pageOf } from './pages';

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

// Drawn light and narrow at first, and again for each other width; every width in dark as well.
// looks.e2e.ts loads pages in dark.
const looks = [
  { scheme: 'light', widths: [400, 800, 1280] },
  { scheme: 'dark', widths: [800, 400, 1280] },
] as const;

describe.each(names())('%s', (name) => {
  test('draws every figure, light and dark, at three widths, without a fault', async () => {
    const { page, faults } = await open(browser, pageOf(name), { width: 400 });
    for (const { scheme, widths } of looks) {
      await page.emulateMedia({ colorScheme: scheme });
      for (const width of widths) {
        await resize(page, width);
        const figures = await page.locator('figure[data-chart] .chart').evaluateAll((boxes) =>
          boxes.map((b) => {
            const svg = b.querySelector('svg');
            return {
              chart: b.parentElement!.dataset['chart'],
              drawn: b.classList.contains('tare-drawn'),
              shapes: svg?.querySelectorAll('path,text,circle').length ?? 0,
              fits: !svg || svg.getBoundingClientRect().right <= b.getBoundingClientRect().right + 1,
              label: b.getAttribute('aria-label') ?? '',
            };
          }),
        );
        if (name !== 'empty') expect(figures.length).toBeGreaterThan(0);
        for (const f of figures) {
          expect(f, `${width} ${scheme}`).toMatchObject({ drawn: true, fits: true });
          expect(f.shapes, f.chart).toBeGreaterThan(4);
          expect(f.label.length, f.chart).toBeGreaterThan(20);
        }
        expect(faults, `${width} ${scheme}`).toEqual([]);
      }
    }
    await page.context().close();
  });
});

// Pages that differ in what a pointer can meet; a sweep takes its time.
test.each(['states', 'hostile', 'wide', 'golden-demo', 'golden-imported', 'golden-starved', 'golden-layers'])('%s answers the pointer everywhere, without a fault', async (name) => {
  const { page, faults } = await open(browser, pageOf(name), { width: 1280 });
  for (const box of await page.locator('.tare-drawn').all()) {
    await box.scrollIntoViewIfNeeded();
    const area = (await box.boundingBox())!;
    await page.evaluate(() => {
      const tip = document.querySelector<HTMLElement>('.tare-tip')!;
      const seen = ((globalThis as unknown as { seen: Set<string> }).seen = new Set<string>());
      new MutationObserver(() => tip.hidden || seen.add(tip.textContent!)).observe(tip, { childList: true });
    });
    for (let y = 12; y < Math.min(area.height, 420); y += 83) {
      for (let x = 12; x < area.width; x += 197) await page.mouse.move(area.x + x, area.y + y);
    }
    const tips = await page.evaluate(() => (globalThis as unknown as { seen: Set<string> }).seen.size);
    expect(tips, (await box.evaluate((b) => b.parentElement!.dataset['chart'])) ?? '').toBeGreaterThan(0);
  }
  expect(faults).toEqual([]);
  await page.context().close();
});

// A watch that sees nothing would pass everything above.
test('the watch sees what it is there for', async () => {
  const { page, faults } = await open(browser, pageOf('demo'), { width: 800 });
  await page.evaluate(() => {
    document.body.setAttribute('style', 'color: red');
    new Image().src = 'http://127.0.0.1:9/x.png';
    console.error('loud');
  });
  await expect.poll(() => faults.join('\n')).toMatch(/policy: style-src/);
  await expect.poll(() => faults.join('\n')).toMatch(/policy: img-src/);
  expect(faults).toContain('console: loud');
  await page.context().close();
});
