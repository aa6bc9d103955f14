// One Chromium for all checks, and pages that write down everything they should not do.

import { existsSync } from 'node:fs';
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Page } from 'playwright-core';

/** Without windows and a compositor for them: it takes half of the CPU time. */
const shell = '/usr/bin/chromium-headless-shell';

/** How long a step of the browser may take, on a machine that others keep busy: only a failure takes it. */
const patience = 300000;

/** The switches keep the browser itself from talking to anybody. */
export function launch(): Promise<Browser> {
  return chromium.launch({
    timeout: patience,
    executablePath: process.env['TARE_CHROMIUM'] ?? (existsSync(shell) ? shell : '/usr/bin/chromium'),
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });
}

export interface Watched {
  page: Page;
  /** Console errors, uncaught exceptions, requests, violations of the policy. */
  faults: string[];
}

export interface Look {
  width: number;
  scheme?: 'light' | 'dark';
  hash?: string;
  /** What the browser says its reader speaks; English unless told. */
  locale?: string;
}

/** contextOf is a new context whose steps may take as long as they need. */
export async function contextOf(browser: Browser, options: BrowserContextOptions): Promise<BrowserContext> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(patience);
  return context;
}

/** resize gives the window another width and waits until every chart has taken its own. */
export async function resize(page: Page, width: number): Promise<void> {
  await page.setViewportSize({ width, height: 900 });
  await page.waitForFunction(() =>
    [...document.querySelectorAll('.tare-drawn')].every((b) => !b.clientWidth || b.querySelector('svg')?.getAttribute('width') === String(b.clientWidth)));
}

/** open loads a file and waits until the charts stand. */
export async function open(browser: Browser, file: string, look: Look): Promise<Watched> {
  const context = await contextOf(browser, { viewport: { width: look.width, height: 900 }, colorScheme: look.scheme ?? 'light', locale: look.locale ?? 'en-US' });
  const page = await context.newPage();
  const faults: string[] = [];
  const address = `file://${file}`;
  page.on('console', (m) => m.type() === 'error' && faults.push(`console: ${m.text()}`));
  page.on('pageerror', (e) => faults.push(`exception: ${e.message}`));
  page.on('request', (r) => r.url().split('#')[0] !== address && faults.push(`request: ${r.url()}`));
  page.on('dialog', (d) => (faults.push(`dialog: ${d.message()}`), d.dismiss()));
  await page.exposeFunction('tareFault', (what: string) => faults.push(what));
  await page.addInitScript(() => {
    const report = (globalThis as unknown as { tareFault(s: string): void }).tareFault;
    document.addEventListener('securitypolicyviolation', (e) => report(`policy: ${e.violatedDirective} ${e.sourceFile}:${e.lineNumber}`));
  });
  await page.goto(address + (look.hash ?? ''));
  await page.waitForSelector('html[data-charts]');
  return { page, faults };
}

/** shapes are the paths of a chart. */
export const shapes = (page: Page, chart: string) => page.locator(`figure[data-chart="${chart}"] svg path`).count();

/** button is a control of a chart. */
export const button = (page: Page, chart: string, name: string) => page.locator(`figure[data-chart="${chart}"]`).getByRole('button', { name, exact: true });

/** said is what the page reads aloud last. */
export const said = (page: Page) => page.locator('.tare-live[role=status]').textContent();
