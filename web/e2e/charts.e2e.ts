// What single charts draw of what a document holds, and say of it to keys and pointers.

import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { button, launch, open, said, shapes } from './browser';
import { page as pageOf } from './pages';

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

describe('many arms', () => {
  test.each([[1280, 1200], [800, 1600], [400, 2200]])('heat maps of twenty stand side by side at %i', async (width, most) => {
    const { page, faults } = await open(browser, pageOf('crowd'), { width });
    const heat = page.locator('figure[data-chart="heat"]');
    expect((await heat.locator('svg').boundingBox())!.height).toBeLessThan(most);
    expect(await heat.locator('svg text', { hasText: /^arm-\d\d$/ }).count()).toBe(20);
    // Nothing is lost: every arm has every second, and the keys reach them all.
    await heat.locator('.chart').focus();
    for (let i = 0; i < 19; i++) await page.keyboard.press('ArrowDown');
    expect(await said(page)).toMatch(/^arm-19, second 0 to 1/);
    await page.keyboard.press('End');
    expect(await said(page)).toMatch(/^arm-19, second 11 to 12/);
    expect(faults).toEqual([]);
    await page.context().close();
  });
});

describe('events', () => {
  test.each([1280, 400])('rounds lie over each other, with the parts of their outages, at %i', async (width) => {
    const { page, faults } = await open(browser, pageOf('outages'), { width });
    const chart = page.locator('figure[data-chart="events"]');
    for (const word of ['routing', 'detection', 'seconds from the event']) expect(await chart.locator('svg text', { hasText: word }).count()).toBeGreaterThan(0);
    await chart.locator('.chart').focus();
    await page.keyboard.press('Home');
    for (let i = 0; i < 2; i++) await page.keyboard.press('ArrowRight');
    expect(await said(page)).toMatch(/^Round 1, process, killed: server at 10 s; routing: [23]\.\d\d s; from the event: [\d.]+ to [\d.]+ s; before the event: [\d.]+ tx\/s$/);
    for (let i = 0; i < 20; i++) await page.keyboard.press('ArrowDown');
    expect(await said(page)).toMatch(/^Round 5, replicated, killed: primary at 10 s; /); // round 6 was not served again
    expect(faults).toEqual([]);
    await page.context().close();
  });
});

describe('what was left out', () => {
  test('the calendar shows rounds that were set aside, why, and when', async () => {
    const { page, faults } = await open(browser, pageOf('golden-voids'), { width: 1280 });
    const chart = page.locator('figure[data-chart="calendar"]');
    expect(await chart.locator('svg text', { hasText: '✕' }).count()).toBe(5); // four boxes and the key
    expect(await chart.locator('svg text', { hasText: /^09:\d\d\s+round 3$/ }).count()).toBe(2);
    expect(await chart.locator('svg path[stroke-dasharray]').count()).toBe(6);
    await chart.locator('.chart').focus();
    for (const key of ['ArrowDown', 'ArrowDown', 'Home']) await page.keyboard.press(key);
    for (let i = 0; i < 3 && !(await said(page))?.includes('CPU steal'); i++) await page.keyboard.press('ArrowRight');
    expect(await said(page)).toMatch(/^Round 3, slot \d: besteffort; started, UTC: 2026-11-20 09:0\d:\d\d; duration: 29\.0 s; outcome: measured; disturbed by: CPU steal; the round: repeated$/);
    expect(await page.locator('#calendar details table').count()).toBe(3);
    expect(faults).toEqual([]);
    await page.context().close();
  });
});

describe('what happened over time', () => {
  test('levels and changes of level are marked', async () => {
    const { page } = await open(browser, pageOf('demo'), { width: 1280 });
    expect(await page.locator('figure[data-chart="series"] svg text', { hasText: 'of the seconds' }).allTextContents()).toEqual(['2,650 for 55\u202f% of the seconds', '3,400 for 45\u202f% of the seconds']);
    const marks = await shapes(page, 'series');
    await button(page, 'series', 'guaranteed').click();
    await button(page, 'series', 'guaranteed').click();
    expect(await shapes(page, 'series')).toBe(marks);
    await page.context().close();
  });

  test('a span in the link narrows what is shown', async () => {
    const { page } = await open(browser, pageOf('demo'), { width: 1280, hash: '#series&span=10-20' });
    const ticks = () => page.locator('figure[data-chart="series"] svg text').allTextContents();
    expect(await ticks()).not.toContain('25');
    await page.locator('figure[data-chart="series"] .chart').focus();
    await page.keyboard.press('0');
    expect(await ticks()).toContain('25');
    expect(page.url()).not.toContain('span');
    await page.context().close();
  });
});

describe('where the time goes', () => {
  const texts = (page: Page) => page.locator('figure[data-chart="budget"] svg text').allTextContents();

  test('a part is read off anywhere on its bar, and changes stand below with their arms', async () => {
    const { page, faults } = await open(browser, pageOf('demo'), { width: 1280 });
    const all = await texts(page);
    for (const words of ['on a CPU', 'throttled', 'a transaction', 'Change from the baseline, ms, with 95 % intervals']) expect(all).toContain(words);
    expect(all.filter((t) => t === 'besteffort').length).toBe(2);
    expect(all).not.toContain('row locks'); // of which there are none
    const box = page.locator('figure[data-chart="budget"] .chart');
    await box.scrollIntoViewIfNeeded();
    const bar = (await box.locator('svg text', { hasText: /^besteffort$/ }).first().boundingBox())!;
    const area = (await box.boundingBox())!;
    // Throttled and waiting are most of this arm's bar: two places far apart, one part each.
    const tips = new Set<string>();
    for (let x = area.x + 210; x < area.x + 640; x += 20) {
      await page.mouse.move(x, bar.y + bar.height / 2);
      tips.add((await page.locator('.tare-tip-title').allTextContents()).join());
    }
    expect([...tips].join()).toMatch(/waiting for a CPU, besteffort/);
    expect([...tips].join()).toMatch(/throttled, besteffort/);
    await button(page, 'budget', 'besteffort').click();
    expect(await texts(page)).not.toContain('besteffort');
    expect(faults).toEqual([]);
    await page.context().close();
  });

  test('patterns where colours say nothing', async () => {
    const { page } = await open(browser, pageOf('demo'), { width: 800 });
    const plain = await shapes(page, 'budget');
    await page.emulateMedia({ forcedColors: 'active' });
    await expect.poll(() => shapes(page, 'budget')).toBeGreaterThan(plain + 4);
    await page.context().close();
  });
});

describe('what shows a cause', () => {
  test('its counters stand in the same section, on the clock of the other charts', async () => {
    const { page, faults } = await open(browser, pageOf('demo'), { width: 1280 });
    const texts = () => page.locator('#explained figure[data-chart="evidence"] svg text').allTextContents();
    const whole = await texts();
    expect(whole.join()).toContain('C-CPU-01: cgroup.cpu.throttled, ns/s');
    expect(whole.join()).not.toContain('not.read');
    await page.locator('figure[data-chart="series"] .chart').focus();
    await page.keyboard.press('+');
    await expect.poll(texts).not.toEqual(whole);
    await page.keyboard.press('0');
    await expect.poll(texts).toEqual(whole);
    expect(faults).toEqual([]);
    await page.context().close();
  });
});

describe('what goes along with throughput', () => {
  test('the factor that was asked for comes first, with its outlier by name', async () => {
    const { page, faults } = await open(browser, pageOf('plugins'), { width: 1280 });
    const texts = await page.locator('figure[data-chart="correlation"] svg text').allTextContents();
    expect(texts).toContain('without {userspace}: 1.00');
    expect(texts.filter((t) => t === 'network_gbps').length).toBe(2); // above the panel and below it
    expect(texts).toContain('rank correlation \u22121.00, p 0.012 for all 2 factors');
    expect(texts.join()).not.toContain('of no consequence');
    expect(await page.locator('#correlation table').textContent()).toContain('of no consequence');
    await page.locator('figure[data-chart="correlation"] .chart').focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('End');
    expect(await said(page)).toMatch(/^\{userspace\}; throughput: .*network_gbps: 9.9; outlier: /);
    expect(faults).toEqual([]);
    await page.context().close();
  });
});

describe('what was watched', () => {
  test('narrows with the throughput above, and shows the metric that is asked for', async () => {
    const { page, faults } = await open(browser, pageOf('demo'), { width: 1280 });
    const texts = (chart: string) => page.locator(`figure[data-chart="${chart}"] svg text`).allTextContents();
    const whole = await texts('probes');
    // Unasked, what differs from the baseline for certain.
    expect(whole.join()).toContain('throttled');
    expect(whole.join()).not.toContain('busy');
    await page.locator('figure[data-chart="series"] .chart').focus();
    await page.keyboard.press('+');
    await expect.poll(() => texts('probes')).not.toEqual(whole);
    await page.keyboard.press('0');
    await expect.poll(() => texts('probes')).toEqual(whole);
    await page.getByRole('combobox', { name: 'Metric' }).selectOption('host.cpu.busy');
    await expect.poll(async () => (await texts('probes')).join()).not.toContain('throttled');
    expect(page.url()).toContain('metric=host.cpu.busy');
    expect(faults).toEqual([]);
    await page.context().close();
  });
});
