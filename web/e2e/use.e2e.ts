// What a reader does: toggles, keys, zoom, links, copies, paper.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launch, open } from './browser';
import { HOSTILE } from './documents';
import { page as pageOf } from './pages';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

const shapes = (page: Page, chart: string) => page.locator(`figure[data-chart="${chart}"] svg path`).count();
const button = (page: Page, chart: string, name: string) => page.locator(`figure[data-chart="${chart}"]`).getByRole('button', { name, exact: true });
const said = (page: Page) => page.locator('.tare-live[role=status]').textContent();

describe('choices', () => {
  test('the theme is switched by hand, stands in the link, and colours the charts', async () => {
    const { page, faults } = await open(browser, pageOf('demo'), { width: 1280 });
    const before = await page.locator('figure[data-chart="intervals"] svg').innerHTML();
    await page.getByRole('button', { name: 'Dark', exact: true }).click();
    expect(await page.evaluate(() => document.documentElement.dataset['theme'])).toBe('dark');
    expect(page.url()).toContain('theme=dark');
    const after = await page.locator('figure[data-chart="intervals"] svg').innerHTML();
    expect(before).toContain('#AE5213');
    expect(after).toContain('#F9A04D');
    expect(after).not.toContain('#AE5213');
    await page.getByRole('button', { name: 'Auto', exact: true }).click();
    expect(page.url()).not.toContain('theme');
    expect(faults).toEqual([]);
    await page.context().close();
  });

  test('the system may change its mind', async () => {
    const { page } = await open(browser, pageOf('demo'), { width: 800 });
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect.poll(() => page.locator('figure[data-chart="intervals"] svg').innerHTML()).toContain('#F9A04D');
    await page.context().close();
  });

  test('rounds, strips and arms are switched', async () => {
    const { page, faults } = await open(browser, pageOf('demo'), { width: 1280 });
    const plain = await shapes(page, 'intervals');
    await button(page, 'intervals', 'Show rounds').click();
    expect(await shapes(page, 'intervals')).toBeGreaterThanOrEqual(plain + 16);
    const lines = await shapes(page, 'series');
    await button(page, 'series', 'besteffort').click();
    expect(await shapes(page, 'series')).toBeLessThan(lines);
    // The other charts follow in frames of their own.
    await expect.poll(() => page.locator('figure[data-chart="latency"] svg text', { hasText: 'besteffort' }).count()).toBe(0);
    await button(page, 'series', 'One strip per trial').click();
    expect(await page.locator('figure[data-chart="series"] svg text', { hasText: 'guaranteed, round 8' }).count()).toBe(1);
    expect(page.url()).toMatch(/rounds=1&strips=1&off=1$/);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  test('the last arm cannot be switched off', async () => {
    const { page } = await open(browser, pageOf('demo'), { width: 1280 });
    for (const arm of ['bare', 'besteffort', 'guaranteed']) await button(page, 'series', arm).click();
    expect(await button(page, 'series', 'guaranteed').getAttribute('aria-pressed')).toBe('true');
    await page.context().close();
  });

  test('a link shows what the sender saw', async () => {
    const { page } = await open(browser, pageOf('demo'), { width: 1280, hash: '#latency&theme=dark&rounds=1&off=0' });
    expect(await page.evaluate(() => document.documentElement.dataset['theme'])).toBe('dark');
    expect(await button(page, 'intervals', 'Show rounds').getAttribute('aria-pressed')).toBe('true');
    expect(await button(page, 'latency', 'bare').getAttribute('aria-pressed')).toBe('false');
    expect(await page.evaluate(() => document.getElementById('latency')!.getBoundingClientRect().top)).toBeLessThan(200);
    await page.getByRole('link', { name: 'Was it steady?' }).click();
    await expect.poll(() => page.url()).toMatch(/#series&theme=dark&rounds=1&off=0$/);
    await page.context().close();
  });
});

describe('keys', () => {
  // By the Tab key from chart to chart, as a reader would come: focus by script is not
  // :focus-visible everywhere. In the page's order.
  test.each([
    ['demo', ['intervals', 'budget', 'evidence', 'rounds', 'series', 'seconds', 'probes', 'latency', 'distribution', 'heat']],
    ['scaling', ['scaling']],
    ['plugins', ['correlation']],
    ['golden-voids', ['intervals', 'series', 'latency', 'calendar']],
  ] as const)('charts of %s are walked and read aloud', async (name, charts) => {
    const { page, faults } = await open(browser, pageOf(name), { width: 1280 });
    for (const chart of charts) {
      const before = await said(page);
      const box = page.locator(`figure[data-chart="${chart}"] .chart`);
      for (let i = 0; i < 160; i++) {
        await page.keyboard.press('Tab');
        if (await box.evaluate((b) => b === document.activeElement)) break;
      }
      expect(await box.evaluate((b) => b === document.activeElement && getComputedStyle(b).outlineStyle !== 'none'), chart).toBe(true);
      const first = await said(page);
      expect(first, chart).toBeTruthy();
      expect(first, chart).not.toBe(before);
      await page.keyboard.press('ArrowDown');
      const down = await said(page);
      expect(down, chart).not.toBe(first);
      await page.keyboard.press('Home');
      const home = await said(page);
      await page.keyboard.press('ArrowRight');
      if (chart !== 'intervals') expect(await said(page), chart).not.toBe(home);
      expect(await page.locator('.tare-tip').isVisible(), chart).toBe(true);
      await page.keyboard.press('Escape');
      expect(await page.locator('.tare-tip').isVisible(), chart).toBe(false);
      expect(faults, chart).toEqual([]);
    }
    await page.context().close();
  });
});

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

describe('what was left out', () => {
  test('the calendar shows rounds that were set aside, why, and when', async () => {
    const { page, faults } = await open(browser, pageOf('golden-voids'), { width: 1280 });
    const chart = page.locator('figure[data-chart="calendar"]');
    expect(await chart.locator('svg text', { hasText: '✕' }).count()).toBe(5); // four boxes and the key
    expect(await chart.locator('svg text', { hasText: /^09:\d\d\s+round 3$/ }).count()).toBe(2);
    expect(await chart.locator('svg path[stroke-dasharray]').count()).toBe(6);
    await chart.locator('.chart').focus();
    for (const key of ['ArrowDown', 'ArrowDown', 'Home']) await page.keyboard.press(key);
    for (let i = 0; i < 3 && !(await said(page))?.includes('steal'); i++) await page.keyboard.press('ArrowRight');
    expect(await said(page)).toMatch(/^Round 3, slot \d: besteffort; began, UTC: 2026-11-20 09:0\d:\d\d; took: 29\.0 s; outcome: measured; disturbed by: steal; the round: run again$/);
    expect(await page.locator('#calendar details table').count()).toBe(3);
    expect(faults).toEqual([]);
    await page.context().close();
  });
});

describe('zoom', () => {
  const ticks = (page: Page) => page.locator('figure[data-chart="series"] svg text').allTextContents();

  test('plus narrows, zero shows all', async () => {
    const { page } = await open(browser, pageOf('demo'), { width: 1280 });
    await page.locator('figure[data-chart="series"] .chart').focus();
    const whole = await ticks(page);
    await page.keyboard.press('+');
    expect(await ticks(page)).not.toEqual(whole);
    expect(await said(page)).toMatch(/^From \d+ to \d+ seconds$/);
    await page.keyboard.press('0');
    expect(await ticks(page)).toEqual(whole);
    await page.context().close();
  });

  test('a drag narrows, a double click shows all', async () => {
    const { page, faults } = await open(browser, pageOf('demo'), { width: 1280 });
    const box = page.locator('figure[data-chart="series"] .chart');
    await box.scrollIntoViewIfNeeded();
    const whole = await ticks(page);
    const area = (await box.boundingBox())!;
    await page.mouse.move(area.x + 150, area.y + 80);
    await page.mouse.down();
    await page.mouse.move(area.x + 300, area.y + 90, { steps: 5 });
    await page.mouse.up();
    expect(await ticks(page)).not.toEqual(whole);
    await page.mouse.dblclick(area.x + 200, area.y + 80);
    expect(await ticks(page)).toEqual(whole);
    expect(faults).toEqual([]);
    await page.context().close();
  });
});

describe('copies', () => {
  test('a table as CSV, a section as a link', async () => {
    const { page } = await open(browser, pageOf('demo'), { width: 1280, hash: '#theme=dark' });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.locator('details', { hasText: 'Every arm against the baseline' }).locator('summary').click();
    await page.getByRole('button', { name: /^Copy CSV: Every arm/ }).click();
    await expect.poll(() => said(page)).toBe('Copied');
    const csv = await page.evaluate(() => navigator.clipboard.readText());
    expect(csv.split(/\r?\n/)[0]).toMatch(/^Arm,"Cost, %"/);
    expect(csv).toContain('besteffort');
    await page.getByRole('button', { name: 'Copy link to: Was it steady?' }).click();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toMatch(/#series&theme=dark$/);
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
    for (const words of ['on a CPU', 'throttled', 'a transaction', 'Change to the baseline, ms, with 95 % intervals']) expect(all).toContain(words);
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
    expect(await said(page)).toMatch(/^\{userspace\}; throughput: .*network_gbps: 9.9; stands out/);
    expect(faults).toEqual([]);
    await page.context().close();
  });
});

describe('what was watched', () => {
  test('narrows with the throughput above, and shows the metric that is asked for', async () => {
    const { page, faults } = await open(browser, pageOf('demo'), { width: 1280 });
    const texts = (chart: string) => page.locator(`figure[data-chart="${chart}"] svg text`).allTextContents();
    const whole = await texts('probes');
    expect(whole.join()).toMatch(/throttled.*busy/);
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

describe('taking a chart away', () => {
  test('each as SVG, PNG and numbers', async () => {
    const { page, faults } = await open(browser, pageOf('demo'), { width: 1280, scheme: 'dark' });
    const get = async (chart: string, name: string) => {
      const [file] = await Promise.all([page.waitForEvent('download'), page.locator(`figure[data-chart="${chart}"]`).getByRole('button', { name }).click()]);
      return { name: file.suggestedFilename(), bytes: readFileSync(await file.path()) };
    };
    // SVG is parsed on another page: the report's own policy holds for what is parsed in it.
    const blank = await page.context().newPage();
    for (const chart of ['intervals', 'budget', 'evidence', 'rounds', 'series', 'seconds', 'latency', 'distribution', 'heat']) {
      const svg = await get(chart, 'Save the picture as SVG');
      expect(svg.name).toBe(`tare-demo-${chart}.svg`);
      const words = await blank.evaluate((text) => {
        const parsed = new DOMParser().parseFromString(text, 'image/svg+xml');
        return parsed.querySelector('parsererror') ? '' : (parsed.documentElement.textContent ?? '');
      }, svg.bytes.toString());
      expect(words).toContain((await page.locator(`figure[data-chart="${chart}"] figcaption`).textContent())!);
      const png = await get(chart, 'Save the picture as PNG');
      expect(png.bytes.subarray(1, 4).toString(), chart).toBe('PNG');
      expect(png.bytes.length, chart).toBeGreaterThan(5000);
      const rows = (await get(chart, 'Save the numbers as CSV')).bytes.toString().trim().split('\r\n');
      expect(rows.length, chart).toBeGreaterThan(2);
      expect(new Set(rows.map((r) => r.split(',').length)).size, chart).toBe(1);
    }
    expect(faults.filter((f) => !/^request: (data|blob):/.test(f))).toEqual([]);
    await page.context().close();
  });
});

describe('strangers', () => {
  test('hostile names are text', async () => {
    const { page, faults } = await open(browser, pageOf('hostile'), { width: 1280, hash: '#cost&rounds=1' });
    expect(await page.locator('img').count()).toBe(0);
    const texts = await page.locator('svg text').allTextContents();
    expect(texts.some((t) => t.includes('</script><img'))).toBe(true);
    expect(texts.join('')).not.toContain('\u202e');
    // Walk to the arm itself: the tip holds its name, too.
    await page.locator('figure[data-chart="rounds"] .chart').focus();
    await page.keyboard.press('ArrowDown');
    expect(await page.locator('.tare-tip').textContent()).toContain(HOSTILE.slice(0, 12));
    expect(await page.locator('.tare-tip *').evaluateAll((all) => all.map((e) => e.tagName).filter((t) => t !== 'DIV' && t !== 'SPAN'))).toEqual([]);
    expect(faults).toEqual([]);
    await page.context().close();
  });
});

describe('everybody', () => {
  test.each(['demo', 'states', 'hostile', 'golden-demo', 'golden-verdicts', 'golden-imported', 'golden-unfinished', 'golden-voids', 'golden-sessions-starved'])('axe finds no serious fault in %s', async (name) => {
    for (const scheme of ['light', 'dark'] as const) {
      const { page } = await open(browser, pageOf(name), { width: 1280, scheme });
      await page.evaluate(axe);
      // A theme changes colours and nothing else.
      const options = scheme === 'light' ? {} : { runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] } };
      const found = await page.evaluate(async (o) => {
        const run = (globalThis as unknown as { axe: { run(options: object): Promise<{ violations: { id: string; impact: string; nodes: { html: string }[] }[] }> } }).axe.run;
        return (await run(o)).violations.map((v) => ({ id: v.id, impact: v.impact, where: v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160)) }));
      }, { resultTypes: ['violations'], ...options });
      expect(found.filter((v) => v.impact === 'serious' || v.impact === 'critical'), scheme).toEqual([]);
      await page.context().close();
    }
  });

  test('system colours alone', async () => {
    const { page, faults } = await open(browser, pageOf('demo'), { width: 800 });
    await page.emulateMedia({ forcedColors: 'active' });
    await expect.poll(() => page.locator('figure[data-chart="intervals"] svg').innerHTML()).toContain('CanvasText');
    // Six arms of one colour are told apart by pattern.
    expect(await page.locator('figure[data-chart="latency"] svg path[stroke-dasharray]').count()).toBeGreaterThan(2);
    expect(faults).toEqual([]);
    await page.context().close();
  });
});

describe('paper', () => {
  test('is light and as wide as the sheet, and the screen comes back', async () => {
    const { page, faults } = await open(browser, pageOf('demo'), { width: 1280, scheme: 'dark' });
    await page.evaluate(() => {
      addEventListener('beforeprint', () => {
        const svgs = [...document.querySelectorAll<SVGElement>('.tare-drawn svg')];
        document.body.dataset['paper'] = JSON.stringify({ widths: svgs.map((s) => s.getAttribute('width')), dark: svgs.some((s) => s.innerHTML.includes('#F9A04D')) });
      });
    });
    await page.pdf({ path: new URL('./out/demo.pdf', import.meta.url).pathname, format: 'A4' });
    const paper = JSON.parse((await page.evaluate(() => document.body.dataset['paper']))!) as { widths: string[]; dark: boolean };
    expect(new Set(paper.widths)).toEqual(new Set(['640']));
    expect(paper.dark).toBe(false);
    await expect.poll(() => page.locator('figure[data-chart="intervals"] svg').innerHTML()).toContain('#F9A04D');
    expect(faults).toEqual([]);
    await page.context().close();
  });
});

describe('pace', () => {
  test('six arms, fourteen rounds, 140 seconds each are drawn soon', async () => {
    // In seconds of the processor that the page's thread took, which a busy machine changes
    // little. Measured near 0.7; a page that is ten times slower is broken.
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    const tools = await page.context().newCDPSession(page);
    await tools.send('Performance.enable', { timeDomain: 'threadTicks' });
    await page.goto(`file://${pageOf('wide')}`);
    await page.waitForSelector('html[data-charts]', { timeout: 60000 });
    const { metrics } = await tools.send('Performance.getMetrics');
    const took = metrics.find((m) => m.name === 'TaskDuration')!.value;
    expect(took).toBeGreaterThan(0.01);
    expect(took).toBeLessThan(7);
    await page.close();
  });
});
