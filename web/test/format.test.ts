import { expect, test } from 'vitest';
import english from '../../internal/report/language/en.json';
import chinese from '../../internal/report/language/zh.json';
import { decimals, milliseconds, number, percent, places, plain, pvalue, rate, short, tickTime, visible, wrap } from '../src/format';
import { setLanguage } from '../src/words';

setLanguage({ ...english, texts: [] });

test.each([[-1234.5, 1, '\u22121,234.5'], [-0.04, 1, '0.0'], [0, 0, '0']])('number %d', (x, d, want) => {
  expect(number(x, d)).toBe(want);
});
test('percent never breaks, and stands as the language writes it', () => {
  expect(percent(9.8, 1)).toBe('9.8\u202f%');
  setLanguage({ ...chinese, texts: [] });
  expect(percent(9.8, 1)).toBe('9.8%');
  setLanguage({ ...english, texts: [] });
});
test.each([[9.2, 10.4, 2], [-0.3, 0.9, 2], [40, 60, 0], [0.101, 0.109, 3], [null, 3, 1], [2, 2, 2]] as const)('decimals of [%d, %d]', (lo, hi, want) => {
  expect(decimals(lo, hi)).toBe(want);
});
test.each([[22128.67, '22,129'], [999.25, '999.3'], [0, '0']])('rate %d', (x, want) => expect(rate(x)).toBe(want));
test.each([[950, '950'], [6000, '6,000'], [22000, '22\u202fk'], [10600, '10.6\u202fk'], [1.5e6, '1.5\u202fM']])('short %d', (x, want) => expect(short(x)).toBe(want));
test.each([[8.123, '8.12\u202fms'], [0.05, '50.0\u202fµs'], [1234, '1.23\u202fs'], [0.5, '0.50\u202fms'], [120.6, '121\u202fms']])('milliseconds %d', (x, want) => {
  expect(milliseconds(x)).toBe(want);
});
test.each([[20, '20\u202fms'], [0.5, '0.5\u202fms'], [1000, '1\u202fs'], [0.05, '50\u202fµs']])('tick %d', (x, want) => expect(tickTime(x)).toBe(want));

test('nothing invisible gets through, and nothing endless', () => {
  expect(visible('a\u202eb\u0000c\u2028')).toBe('a⟨U+202E⟩b⟨U+0000⟩c⟨U+2028⟩');
  expect(visible('</script><b>')).toBe('</script><b>');
  const long = visible('x'.repeat(1 << 20), 32);
  expect([...long].length).toBeLessThanOrEqual(32);
  expect(long).toContain('…');
  // Halves of one character are never parted.
  expect(visible('😀'.repeat(40), 11)).toBe('😀'.repeat(5) + '…' + '😀'.repeat(5));
});
test('braces are not markup', () => expect(plain('{a|b}')).toBe('❴a|b❵'));
// A Chinese character is twice as wide as a letter: what does not fit says so.
test.each([
  ['short', ['short']],
  ['a sentence of letters', ['a sentence ', 'of letters']],
  ['a sentence of letters, and more', ['a sentence ', 'of letters…']],
  ['没有估计值：配置不同，请改为一致', ['没有估计值：', '配置不同，…']],
])('%s in two lines', (words, want) => {
  expect(wrap(words, 78, 2)).toEqual(want);
});

test.each([[1, 0], [1.5, 1], [0.25, 2], [2.5, 1], [10, 0]])('a margin of %d keeps its decimals', (x, want) => {
  expect(places(x)).toBe(want);
});

test('no p is 0', () => {
  expect([pvalue(0.0004, 3), pvalue(0.013, 3), pvalue(0, 3)]).toEqual(['<0.001', '0.013', '<0.001']);
});
