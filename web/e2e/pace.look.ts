// How soon a page stands and how long it holds the reader up: TARE_PAGE=FILE, by
// research/scale.sh. Prints; not a check, because a machine's pace is not tare's.

import { expect, test } from 'vitest';
import { launch } from './browser';

test('pace', async () => {
  const browser = await launch();
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  await page.addInitScript(() => {
    const held: number[] = ((globalThis as unknown as { held: number[] }).held = []);
    new PerformanceObserver((l) => l.getEntries().forEach((e) => held.push(Math.round(e.duration)))).observe({ type: 'longtask', buffered: true });
  });
  await page.goto(`file://${process.env['TARE_PAGE'] ?? ''}`);
  await page.waitForSelector('html[data-charts]', { timeout: 60000 });
  const at = (name: string) => page.evaluate((n) => Math.round(performance.getEntriesByName(n)[0]?.startTime ?? NaN), name);
  const held = await page.evaluate(() => (globalThis as unknown as { held: number[] }).held);
  console.log(`text after ${await at('first-contentful-paint')} ms, first chart ${await at('tare-first')} ms, all charts ${await at('tare-drawn')} ms; held up for ${held.join(', ')} ms`);
  expect(held).toBeDefined();
  await browser.close();
});
