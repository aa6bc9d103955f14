// The committed page.js is what these sources build, byte for byte, and small enough
// to travel inside every report.

import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';
import { expect, test } from 'vitest';

const committed = readFileSync(new URL('../../internal/report/page/page.js', import.meta.url), 'utf8');

test('page.js is up to date (else: npm run build)', { timeout: 60000 }, async () => {
  const outDir = mkdtempSync(join(tmpdir(), 'tare-page-'));
  await build({ root: fileURLToPath(new URL('..', import.meta.url)), logLevel: 'silent', build: { outDir } });
  expect(readFileSync(join(outDir, 'page.js'), 'utf8') === committed).toBe(true);
});

test('it stands inside a script element', () => {
  expect(committed).not.toMatch(/<\/script/i);
  expect(committed).not.toContain('<!--');
});

test('it fetches nothing and writes no markup of its own', () => {
  expect(committed).not.toMatch(/\b(fetch|importScripts|WebSocket|EventSource|sendBeacon)\s*\(/);
  expect(committed).not.toMatch(/\bnew Function\b|[^.\w]eval\(/);
});

test('size', () => {
  expect(committed.length).toBeLessThanOrEqual(700_000);
  expect(gzipSync(committed, { level: 9 }).length).toBeLessThanOrEqual(240_000);
});
