// Pictures for the eye: TARE_SHOTS=demo,states npm run e2e -- shots. Not a check.

import { expect, test } from 'vitest';
import { launch, open } from './browser';
import { page as pageOf } from './pages';

const wanted = (process.env['TARE_SHOTS'] ?? '').split(',').filter(Boolean);
const widths = (process.env['TARE_WIDTHS'] ?? '1280,800,400').split(',').map(Number);
const hash = process.env['TARE_HASH'] ?? '';
const locale = process.env['TARE_LOCALE'] ?? 'en-US';

test('pictures', async () => {
  const out = new URL('./out/', import.meta.url).pathname;
  const browser = await launch();
  for (const name of wanted) {
    const file = pageOf(name);
    for (const width of widths) {
      for (const scheme of ['light', 'dark'] as const) {
        const { page, faults } = await open(browser, file, { width, scheme, hash, locale });
        if (process.env['TARE_FIGURES']) {
          await page.screenshot({ path: `${out}${name}-${width}-${scheme}-first.png` });
          for (const figure of await page.locator('figure').all()) {
            const chart = await figure.getAttribute('data-chart');
            await figure.screenshot({ path: `${out}${name}-${width}-${scheme}-${chart}.png` });
          }
        }
        await page.screenshot({ path: `${out}${name}-${width}-${scheme}.png`, fullPage: true });
        expect(faults).toEqual([]);
        await page.context().close();
      }
    }
  }
  await browser.close();
});
