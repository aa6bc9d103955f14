// tare serve in a browser: search, comparison, a run under way that is lost and found
// again, and its end.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { contextOf, launch } from './browser';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const recorded = here('../../internal/report/testdata/runs/');
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let browser: Browser;
let folder: string;
let server: ChildProcess;
let address: string;

/** serve starts tare on the folder and waits for the address that it prints. Where another
 * program has taken the port meanwhile, it waits for that to end. */
async function serve(listen: string): Promise<void> {
  for (let tries = 60; ; tries--) {
    try {
      address = await started(listen);
      return;
    } catch (e) {
      if (tries === 0 || !String(e).includes('address already in use')) throw e;
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
  }
}

function started(listen: string): Promise<string> {
  server = spawn(join(folder, 'tare'), ['serve', join(folder, 'runs'), '--listen', listen]);
  let said = '';
  return new Promise((resolve, reject) => {
    server.stderr!.on('data', (b: Buffer) => {
      said += b.toString();
      const link = /http:\S+(?=\s)/.exec(said);
      if (link) resolve(link[0]);
    });
    server.on('close', (code) => reject(new Error(`tare serve ended with ${code}: ${said}`)));
  });
}

const stopped = () => new Promise((resolve) => (server.once('exit', resolve), server.kill()));

/** trial writes the first lines of a recorded trial; all of them without a number. */
function trial(name: string, lines?: number, run = 'live'): void {
  const from = join(recorded, 'demo/trials', name, 'stream.jsonl');
  mkdirSync(join(folder, 'runs', run, 'trials', name), { recursive: true });
  const all = readFileSync(from, 'utf8').split('\n');
  writeFileSync(join(folder, 'runs', run, 'trials', name, 'stream.jsonl'), lines ? `${all.slice(0, lines).join('\n')}\n` : all.join('\n'));
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tare-serve-'));
  execFileSync('go', ['build', '-o', join(folder, 'tare'), './cmd/tare'], { cwd: here('../..') });
  for (const name of ['demo', 'layers', 'verdicts']) {
    cpSync(join(recorded, name), join(folder, 'runs', name), { recursive: true });
    const verdict = execFileSync(join(folder, 'tare'), ['report', join(folder, 'runs', name), '--format', 'json'], { maxBuffer: 1 << 28 });
    writeFileSync(join(folder, 'runs', name, 'verdict.json'), verdict);
  }
  cpSync(join(folder, 'runs/demo'), join(folder, 'runs/demo-again'), { recursive: true });
  // One run that ends, and one that stays where it is.
  for (const run of ['live', 'going']) {
    mkdirSync(join(folder, 'runs', run, 'trials'), { recursive: true });
    for (const file of ['experiment.yaml', 'plan.json']) cpSync(join(recorded, 'demo', file), join(folder, 'runs', run, file));
  }
  trial(readdirSync(join(recorded, 'demo/trials'))[0]!, 30, 'going');
  mkdirSync(join(folder, 'runs/corrupt'));
  writeFileSync(join(folder, 'runs/corrupt/verdict.json'), '{"schema":');
  browser = await launch();
  await serve('127.0.0.1:0');
});
afterAll(async () => {
  await browser.close();
  await stopped();
  rmSync(folder, { recursive: true });
});

async function open(path: string, width = 1280, scheme: 'light' | 'dark' = 'light'): Promise<{ page: Page; faults: string[] }> {
  const context = await contextOf(browser, { viewport: { width, height: 900 }, colorScheme: scheme });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('console', (m) => m.type() === 'error' && faults.push(m.text()));
  page.on('pageerror', (e) => faults.push(e.message));
  page.on('request', (r) => !r.url().startsWith(address) && !r.url().startsWith('data:') && faults.push(r.url()));
  await page.goto(address + path);
  return { page, faults };
}

test('the list is searched while typing, and two ticked runs are compared', async () => {
  const { page, faults } = await open('');
  await page.getByRole('searchbox').fill('pod slower');
  expect(await page.locator('.runs tbody tr:visible').count()).toBe(1);
  await expect.poll(() => page.locator('h1').textContent()).toBe('1 of 7 runs');
  await page.getByRole('searchbox').fill('');
  expect(await page.getByRole('button', { name: 'Compare' }).isDisabled()).toBe(true);
  const button = page.getByRole('button', { name: 'Compare' });
  await page.getByLabel('Compare demo', { exact: true }).check();
  expect(await button.isDisabled()).toBe(true);
  await page.getByLabel('Compare layers').check();
  expect(await page.locator('[data-picked]').textContent()).toMatch(/^(layers compared with demo|demo compared with layers)$/);
  await page.getByLabel('Compare verdicts').check();
  expect(await button.isDisabled()).toBe(true);
  await page.getByLabel('Compare verdicts').uncheck();
  const said = await page.locator('[data-picked]').textContent();
  await button.click();
  await expect.poll(() => page.title()).toBe(`${said} - tare`);
  await page.goto(`${address}compare?before=demo&after=layers`);
  expect(await page.locator('.answer').first().textContent()).toContain('bare at 8 threads');
  await page.waitForSelector('html[data-charts]');
  await page.locator('.tare-drawn').focus();
  await page.keyboard.press('ArrowDown');
  expect(await page.locator('.tare-tip').textContent()).toContain('bare compared with demo');
  await page.goto(`${address}runs/demo/`);
  await page.waitForSelector('html[data-charts]');
  expect(faults).toEqual([]);
  await page.context().close();
});

test('a reader who changes the language keeps it from page to page', async () => {
  const { page, faults } = await open('');
  await page.getByRole('button', { name: '中文' }).click();
  await expect.poll(() => page.locator('h1').textContent()).toBe('7 次运行');
  await expect.poll(() => page.title()).toBe('运行列表');
  await page.getByRole('searchbox').fill('慢');
  expect(await page.locator('.runs tbody tr:visible').count()).toBeGreaterThan(1);
  await expect.poll(() => page.locator('h1').textContent()).toMatch(/^7 次运行中的 \d 次$/);
  await page.getByRole('searchbox').fill('');
  for (const name of ['demo', 'layers']) await page.getByLabel(`比较 ${name}`, { exact: true }).check();
  const said = await page.locator('[data-picked]').textContent();
  expect(said).toMatch(/^(layers 与 demo|demo 与 layers) 相比$/);
  await page.getByRole('button', { name: '比较' }).click();
  await page.waitForSelector('html[data-charts]');
  await expect.poll(() => page.title()).toBe(`${said} - tare`);
  expect(await page.evaluate(() => document.body.innerText)).not.toMatch(/[a-z]+ (the|of|is|in) [a-z]+|undefined/);
  await page.getByRole('button', { name: 'English' }).click();
  await expect.poll(() => page.locator('h1').textContent()).toBe('Changes between the two runs');
  await page.goBack();
  await page.getByRole('link', { name: 'demo', exact: true }).click();
  await page.waitForSelector('html[data-charts]');
  await expect.poll(() => page.locator('h1').first().textContent()).toBe('性能代价');
  expect(faults).toEqual([]);
  await page.context().close();
});

test('the runs of one experiment have a trend, whose points lead to the runs', async () => {
  const { page, faults } = await open('#lang=zh');
  await page.getByRole('link', { name: 'qos-on-two-cores 的趋势（2 次运行）' }).first().click();
  await expect.poll(() => page.title()).toBe('qos-on-two-cores 的趋势');
  expect(page.url()).toContain('trend?experiment=qos-on-two-cores#lang=zh');
  await page.getByRole('button', { name: 'English' }).click();
  await expect.poll(() => page.locator('h1').textContent()).toBe('Trend of qos-on-two-cores');
  const charts = page.locator('svg.static');
  expect(await charts.count()).toBe(2);
  expect(await charts.first().locator('a circle').count()).toBe(2);
  expect(await page.locator('.runs tbody tr').count()).toBe(2);
  await charts.first().locator('a').last().click();
  await page.waitForSelector('html[data-charts]');
  expect(page.url()).toMatch(/runs\/demo(-again)?\/#lang=en/);
  expect(faults).toEqual([]);
  await page.context().close();
});

test('a run under way speaks the language of its reader', async () => {
  const { page, faults } = await open('runs/going/#lang=zh');
  await expect.poll(() => page.locator('[data-field=rate]').textContent()).toContain('事务/秒');
  expect(page.url()).toContain('runs/going/live#lang=zh');
  expect(await page.locator('[data-field=sealed]').textContent()).toContain('已完成 0/6 轮');
  expect(await page.locator('.grid td[data-state=now]').getAttribute('title')).toBe('正在进行');
  await page.getByRole('button', { name: 'English' }).click();
  expect(await page.locator('[data-field=rate]').textContent()).toContain('transactions/s');
  expect(await page.locator('.grid td[data-state=now] .unseen').textContent()).toBe('running');
  expect(faults).toEqual([]);
  await page.context().close();
});

test('a run under way is shown, lost with the server, found again, and ends in its report', async () => {
  const names = readdirSync(join(recorded, 'demo/trials'));
  trial(names[0]!, 30);
  const { page } = await open('runs/live/');
  await expect.poll(() => page.locator('[data-field=rate]').textContent()).toContain('transactions/s');
  trial(names[0]!);
  trial(names[1]!, 40);
  await expect.poll(() => page.locator('[data-field=sealed]').textContent()).toContain('1 of 18 trials');
  expect(await page.locator('.grid td', { hasText: '■' }).count()).toBe(1);
  const again = new URL(address).host;
  await stopped();
  await expect.poll(() => page.locator('[data-field=link]').textContent()).toContain('reconnecting');
  trial(names[1]!);
  await serve(again);
  await expect.poll(() => page.locator('[data-field=sealed]').textContent()).toContain('2 of 18 trials');
  await expect.poll(() => page.locator('[data-field=link]').textContent()).toBe('');
  for (const name of names) trial(name);
  await page.waitForSelector('html[data-charts]');
  expect(await page.locator('.answer').first().textContent()).toMatch(/guaranteed has 70\.4\s% \[63\.6, 77\.5\] more throughput than besteffort: use it/);
  await page.context().close();
});

test.each([['', 320, 'dark'], ['#lang=zh', 1280, 'light'], ['runs/corrupt/', 720, 'light'], ['runs/going/live#lang=zh', 320, 'dark'], ['trend?experiment=qos-on-two-cores', 1280, 'dark'], ['trend?experiment=qos-on-two-cores#lang=zh', 320, 'light'], ['compare?before=demo&after=verdicts', 1280, 'dark'], ['compare?before=demo&after=verdicts#lang=zh', 320, 'light']] as const)('axe finds no serious fault in /%s at %i, %s, and nothing sticks out', async (path, width, scheme) => {
  const { page } = await open(path, width, scheme);
  await page.evaluate(axe);
  const found = await page.evaluate(async () => {
    const run = (globalThis as unknown as { axe: { run(): Promise<{ violations: { id: string; impact: string; nodes: { html: string }[] }[] }> } }).axe.run;
    return (await run()).violations.filter((v) => v.impact === 'serious' || v.impact === 'critical').map((v) => `${v.id}: ${v.nodes[0]!.html}`);
  });
  expect(found).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
  await page.context().close();
});
