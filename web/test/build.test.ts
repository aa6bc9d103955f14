// The committed scripts are what these sources build, byte for byte, and page.js is small
// enough to travel inside every report.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';
import { expect, onTestFinished, test } from 'vitest';

const kept = (path: string) => readFileSync(new URL(`../../internal/${path}`, import.meta.url), 'utf8');
const committed = kept('report/page/page.js');
const served = kept('serve/page/serve.js');

test.each([['production', 'page.js', committed], ['serve', 'serve.js', served]])('%s: %s is up to date (else: npm run build)', async (mode, file, want) => {
  const outDir = mkdtempSync(join(tmpdir(), 'tare-page-'));
  onTestFinished(() => rmSync(outDir, { recursive: true }));
  await build({ root: fileURLToPath(new URL('..', import.meta.url)), mode, logLevel: 'silent', build: { outDir } });
  expect(readFileSync(join(outDir, file), 'utf8') === want).toBe(true);
});

test('it stands inside a script element', () => {
  expect(committed).not.toMatch(/<\/script/i);
  expect(committed).not.toContain('<!--');
});

test('it fetches nothing and writes no markup of its own', () => {
  expect(committed).not.toMatch(/\b(fetch|importScripts|WebSocket|EventSource|sendBeacon)\s*\(/);
  for (const script of [committed, served]) expect(script).not.toMatch(/\bnew Function\b|[^.\w]eval\(/);
  // Names of runs and arms come from outside; the charts' library writes markup of its own.
  expect(served).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write/);
});

test('size', () => {
  expect(committed.length).toBeLessThanOrEqual(700_000);
  expect(gzipSync(committed, { level: 9 }).length).toBeLessThanOrEqual(240_000);
  expect(served.length).toBeLessThanOrEqual(30_000);
});
