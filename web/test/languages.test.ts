// What charts and buttons say, in every language: the keys that the sources ask for are
// those that there are. That every language has them all, with the same slots, is
// checked by TestLanguagesAreComplete in internal/report.

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import en from '../../internal/report/language/en.json';
import zh from '../../internal/report/language/zh.json';
import { choose, count, say, setLanguage, type Words } from '../src/words';

const english = { ...en, texts: [] };
const chinese = { ...zh, texts: [] };
const root = fileURLToPath(new URL('../src/', import.meta.url));
const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((f) => f.endsWith('.ts'))
  .map((f) => readFileSync(root + f, 'utf8'))
  .join('\n');

test('every word is asked for', () => {
  const unused = Object.keys(en.chart).filter((key) => {
    const name = key.split('#')[0]!;
    return !sources.includes(`'${name}'`);
  });
  expect(unused).toEqual([]);
});

test('numbers come in the plural form of the language', () => {
  setLanguage(english);
  expect([1, 2, 0].map((n) => count(n, 'round'))).toEqual(['1 round', '2 rounds', '0 rounds']);
  setLanguage(chinese);
  expect([1, 2].map((n) => count(n, 'round'))).toEqual(['1 轮', '2 轮']);
});

test('a name with braces is a name', () => {
  setLanguage(english);
  expect(say('against', { arm: '{base}', base: '$&' })).toBe('{base} compared with $&');
});

test('who asked decides the language, then the browser', () => {
  const words: Words = { languages: [english, chinese], now: 'en', fixed: false };
  expect(choose(words, '', ['zh-CN', 'en'])!.tag).toBe('zh');
  expect(choose(words, '', ['de-DE', 'en-GB'])!.tag).toBe('en');
  expect(choose(words, '', ['de'])!.tag).toBe('en');
  expect(choose(words, 'zh', ['en'])!.tag).toBe('zh');
  expect(choose(words, 'tlh', ['zh'])!.tag).toBe('zh');
  expect(choose({ ...words, now: 'zh', fixed: true }, '', ['en'])!.tag).toBe('zh');
  expect(choose({ ...words, now: 'zh', fixed: true }, 'en', ['zh'])!.tag).toBe('en');
});
