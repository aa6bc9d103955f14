// The page in another language: whose wish counts, that nothing is left behind, and
// that a reader may change it.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { contextOf, launch, open, said } from './browser';
import { page as pageOf } from './pages';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

const heading = (page: Page) => page.locator('h1').textContent();
/** Words of the page's own that would be left behind, and slots that nothing filled. */
const ENGLISH = /How to read this|Copy CSV|Show rounds|Round \d|tx\/s|95 % interval|requests|Response time|undefined|\{(?!rich)\w+\}/;
const lang = (page: Page) => page.evaluate(() => document.documentElement.lang);

test.each([
  ['zh-CN', undefined, '', 'zh'],
  ['en-GB', undefined, '', 'en'],
  ['de-DE', undefined, '', 'en'],
  ['en-US', 'zh', '', 'zh'],
  ['zh-CN', 'en', '', 'en'],
  ['zh-CN', undefined, '#lang=en', 'en'],
  ['en-US', undefined, '#cost&lang=zh', 'zh'],
])('browser %s, written in %s, link %s: %s', async (locale, asked, hash, want) => {
  const { page, faults } = await open(browser, pageOf('golden-demo', asked), { width: 800, locale, hash });
  expect(await lang(page)).toBe(want);
  expect(await heading(page)).toBe(want === 'zh' ? '性能代价' : 'Cost');
  expect(faults).toEqual([]);
  await page.context().close();
});

test.each(['golden-layers', 'golden-levels', 'golden-voids', 'golden-sessions-starved', 'hostile'])('%s is switched there and back, and nothing else changes', async (name) => {
  const { page, faults } = await open(browser, pageOf(name), { width: 1280 });
  const words = () => page.evaluate(() => document.body.innerText);
  const before = await words();
  const numbers = (s: string) => (s.match(/\d[\d.,]*/g) ?? []).length;
  await page.getByRole('button', { name: '中文', exact: true }).click();
  expect(page.url()).toContain('lang=zh');
  // Charts out of sight are drawn again one after another.
  await expect.poll(words).not.toMatch(ENGLISH);
  if (name === 'golden-layers') { // commands are code in every language, and no backtick is left
    expect(await page.locator('code').allTextContents()).toContain('tare explain');
    expect(before + (await words())).not.toContain('`');
  }
  const chinese = await words();
  expect(chinese).toContain('如何阅读此图。');
  expect(numbers(chinese)).toBeGreaterThan(0.9 * numbers(before));
  const labels = await page.locator('.tare-drawn').evaluateAll((all) => all.map((e) => e.getAttribute('aria-label') ?? ''));
  for (const l of labels) expect(l).toMatch(/键/);
  await page.getByRole('button', { name: 'English', exact: true }).click();
  await expect.poll(words).toBe(before);
  expect(faults).toEqual([]);
  await page.context().close();
});

test('the keyboard speaks Chinese as well', async () => {
  const { page } = await open(browser, pageOf('golden-demo'), { width: 1280, locale: 'zh-CN' });
  await page.locator('figure[data-chart="intervals"] .tare-drawn').focus();
  await page.keyboard.press('ArrowDown');
  expect(await said(page)).toMatch(/guaranteed 与 bare 相比; ?结论: ▲ 更慢/);
  await page.context().close();
});

test.each([400, 1280])('axe finds no serious fault in Chinese at %i, and no text is cut off', async (width) => {
  const { page } = await open(browser, pageOf('golden-layers'), { width, locale: 'zh-CN', scheme: width > 800 ? 'dark' : 'light' });
  await page.evaluate(axe);
  const serious = await page.evaluate(async () => {
    const run = (globalThis as unknown as { axe: { run(): Promise<{ violations: { id: string; impact: string }[] }> } }).axe.run;
    return (await run()).violations.filter((v) => v.impact === 'serious' || v.impact === 'critical').map((v) => v.id);
  });
  expect(serious).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
  await page.context().close();
});

test('without scripts the page is in the language it was written in', async () => {
  const context = await contextOf(browser, { javaScriptEnabled: false, locale: 'zh-CN' });
  const page = await context.newPage();
  await page.goto(`file://${pageOf('golden-demo', 'zh')}`);
  expect(await heading(page)).toBe('性能代价');
  expect(await page.locator('figure svg text', { hasText: '更慢' }).count()).toBeGreaterThan(0);
  await page.goto(`file://${pageOf('golden-demo')}`);
  expect(await heading(page)).toBe('Cost');
  await context.close();
});
