import { expect, test } from 'vitest';
import { headline, range, support, tipOf } from '../src/charts/verdict-words';
import type { Contrast } from '../src/model';
import { estimable, stateOf, word } from '../src/states';
import { setLanguage } from '../src/words';
import english from '../../internal/report/language/en.json';

setLanguage({ ...english, texts: [] });

const arm = (label: string) => ({ label }) as Contrast['arm'];
const contrast = (c: Partial<Contrast>): Contrast => ({
  arm: arm('pod'), base: arm('bare'), verdict: 'costs', reason: '', exploratory: false, unsettled: false,
  rounds: 14, paired: true, cost: 9.81, outer: [9.2, 10.4], inner: [9.3, 10.3], pairs: [], ...c,
});

test.each([
  [{}, '▲ costs 9.81\u202f%', '9.20 to 10.40\u202f% · 14 rounds'],
  [{ verdict: 'gains', cost: -5, outer: [-7, -3] as [number, number] }, '▼ gains 5.0\u202f%', '−7.0 to −3.0\u202f% · 14 rounds'],
  [{ verdict: 'within-margin', cost: 0.5, outer: [0.1, 0.9] as [number, number] }, '△ costs 0.50\u202f%', '0.10 to 0.90\u202f% · 14 rounds'],
  [{ verdict: 'equivalent', cost: 0, outer: [-0.3, 0.3] as [number, number] }, '= equivalent', '−0.30 to 0.30\u202f% · 14 rounds'],
  [{ verdict: 'inconclusive', cost: 44.6, outer: null, rounds: 1 }, '? inconclusive', 'observed 44.6\u202f%, no interval · 1 round'],
  [{ verdict: 'inconclusive', cost: null, outer: null }, '? inconclusive', '14 rounds'],
  [{ paired: false, rounds: 1 }, '▲ costs 9.81\u202f%', '9.20 to 10.40\u202f% · 1 trial'],
])('%j reads %s', (c, first, second) => {
  expect(headline(contrast(c))).toBe(first);
  expect(support(contrast(c))).toBe(second);
});

// The tip is the last place where a number that must not be shown could slip out.
test.each(['invalid', 'not-measured', 'sealed', 'failed', 'a word of tomorrow'])('%s shows no number at all', (verdict) => {
  const c = contrast({ verdict, reason: 'because' });
  expect(estimable(c)).toBe(false);
  for (const words of [headline(c), support(c), JSON.stringify(tipOf(c, 1))]) expect(words).not.toMatch(/9\.8|9\.2|10\.4/);
  expect(tipOf(c, 1).note).toBe('because');
});

test('an interval without a useful end says so', () => {
  expect(range([-54321, 60])).toBe('below −1,000 to 60\u202f%');
});

test('verdicts are known in each spelling', () => {
  expect(stateOf('within_margin')).toBe(stateOf('within-margin'));
  expect(word(stateOf('not measured'))).toBe('not measured');
  expect(word(stateOf('a word of tomorrow'))).toBe('a word of tomorrow');
  expect(stateOf('a word of tomorrow').marker).toBe('none');
});
