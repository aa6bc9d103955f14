// What a reader does: toggles, keys, zoom, links, copies, paper.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { button, contextOf, launch, open, said, shapes } from './browser';
import { HOSTILE } from './documents';
import { page as pageOf } from './pages';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

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

  test('the reason of a verdict is on the page at 1280 px, without scrolling', async () => {
    for (const name of ['demo', 'golden-demo', 'golden-busy', 'golden-rate']) {
      const { page } = await open(browser, pageOf(name), { width: 1280 });
      const [seen, all] = await page.locator('details[open] .scroll').first().evaluate((box) => [box.clientWidth, box.scrollWidth]);
      expect(all, name).toBeLessThanOrEqual(seen as number);
      await page.context().close();
    }
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
    await page.getByRole('link', { name: 'Stability' }).click();
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

describe('zoom', () => {
  const ticks = (page: Page) => page.locator('figure[data-chart="series"] svg text').allTextContents();

  test('plus narrows, zero shows all', async () => {
    const { page } = await open(browser, pageOf('demo'), { width: 1280 });
    await page.locator('figure[data-chart="series"] .chart').focus();
    const whole = await ticks(page);
    await page.keyboard.press('+');
    expect(await ticks(page)).not.toEqual(whole);
    expect(await said(page)).toMatch(/^Seconds \d+ to \d+$/);
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
    await page.getByRole('button', { name: /^Copy CSV: Every arm/ }).click();
    await expect.poll(() => said(page)).toBe('Copied');
    const csv = await page.evaluate(() => navigator.clipboard.readText());
    expect(csv.split(/\r?\n/)[0]).toMatch(/^Arm,Transactions\/s,Queries\/s,"p95, ms","Cost, %"/);
    expect(csv).toContain('besteffort');
    await page.getByRole('button', { name: 'Copy link to: Stability' }).click();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toMatch(/#series&theme=dark$/);
    await page.context().close();
  });
});

describe('taking a chart away', () => {
  test('each as SVG, PNG and numbers', async () => {
    const { page, faults } = await open(browser, pageOf('demo'), { width: 1280, scheme: 'dark' });
    const get = async (chart: string, name: string) => {
      const downloaded = page.waitForEvent('download').catch(async (cause: unknown) => {
        throw new Error(`no file for ${chart}, ${name}: the page said ${JSON.stringify(await said(page))}`, { cause });
      });
      const [file] = await Promise.all([downloaded, page.locator(`figure[data-chart="${chart}"]`).getByRole('button', { name }).click()]);
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
    const context = await contextOf(browser, { viewport: { width: 1280, height: 900 } });
    const page = await context.newPage();
    const tools = await context.newCDPSession(page);
    await tools.send('Performance.enable', { timeDomain: 'threadTicks' });
    await page.goto(`file://${pageOf('wide')}`);
    await page.waitForSelector('html[data-charts]');
    const { metrics } = await tools.send('Performance.getMetrics');
    const took = metrics.find((m) => m.name === 'TaskDuration')!.value;
    expect(took).toBeGreaterThan(0.01);
    expect(took).toBeLessThan(7);
    await context.close();
  });
});
