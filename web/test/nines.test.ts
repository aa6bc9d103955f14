import { expect, test } from 'vitest';
import english from '../../internal/report/language/en.json';
import { curve, density, fraction, nines, percentileName, valueAt } from '../src/charts/nines';
import { setLanguage } from '../src/words';

setLanguage({ ...english, texts: [] });

test('the axis counts nines', () => {
  expect(nines(0.9)).toBeCloseTo(1);
  expect(nines(0.999)).toBeCloseTo(3);
  expect(fraction(nines(0.42))).toBeCloseTo(0.42);
});

test.each([[nines(0.5), 'p50'], [1, 'p90'], [2, 'p99'], [3, 'p99.9'], [4, 'p99.99'], [nines(0.97), 'p97'], [nines(0.995), 'p99.5']])(
  'place %d is called %s',
  (n, want) => expect(percentileName(n)).toBe(want),
);

// 1,000 requests of 1 ms to 1,000 ms: the value at p is p times 1,000.
const ladder = Array.from({ length: 1000 }, (_, i): [number, number] => [i + 1, 1]);

test('a curve is solid to 30 values beyond, dashed to 10, then ends', () => {
  const c = curve(ladder);
  expect(c.solid.at(-1)![1]).toBe(970);
  expect(c.dashed[0]).toEqual(c.solid.at(-1));
  expect(c.dashed.at(-1)![1]).toBe(990);
  expect(valueAt(c, nines(0.5))).toEqual({ ms: 500, sure: true });
  expect(valueAt(c, nines(0.98))).toEqual({ ms: 980, sure: false });
  expect(valueAt(c, nines(0.995))).toBeNull();
});

test('few values make no curve', () => {
  expect(curve([[1, 9]])).toEqual({ solid: [], dashed: [], total: 9 });
  expect(curve([])).toEqual({ solid: [], dashed: [], total: 0 });
});

test('empty buckets change nothing', () => {
  const holes = ladder.flatMap((b): [number, number][] => [b, [b[0] + 0.5, 0]]);
  expect(curve(holes)).toEqual(curve(ladder));
});

test('a ridge has the whole of the requests and shows the valley between two heaps', () => {
  const ridge = density([[1, 30], [100, 70]], 4);
  expect(ridge.reduce((s, [, d]) => s + d, 0)).toBeCloseTo(1);
  expect(ridge).toHaveLength(10);
  expect(ridge.slice(2, -2).every(([, d]) => d === 0)).toBe(true);
  expect(density([], 4)).toEqual([]);
});

test('the lattice of the buckets does not show', () => {
  // Equal counts in sysbench's buckets (ratio 1.0182): a flat ridge, but for its ends.
  const flat = Array.from({ length: 300 }, (_, i): [number, number] => [1.0182 ** i, 1000]);
  const inner = density(flat, 32).slice(2, -2).map(([, d]) => d);
  expect(Math.max(...inner) / Math.min(...inner)).toBeLessThan(1.001);
});
