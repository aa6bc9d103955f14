import { expect, test } from 'vitest';
import { quantiles, stack } from '../src/charts/quantile';

test('quantiles are the middles of equal parts', () => {
  const hundred = Array.from({ length: 100 }, (_, i) => i + 1);
  expect(quantiles(hundred, 4)).toEqual([13, 38, 63, 88]);
  expect(quantiles([3, 4, 5], 50)).toEqual([3, 4, 5]);
  expect(quantiles([], 50)).toEqual([]);
});

test('two levels stay two heaps', () => {
  const dots = quantiles([...Array(60).fill(10), ...Array(40).fill(20)], 50);
  expect(dots.filter((d) => d === 10)).toHaveLength(30);
  expect(dots.filter((d) => d === 20)).toHaveLength(20);
});

test('dots of one column are stacked', () => {
  const placed = stack([1, 1.1, 9], (v) => v * 10, 10);
  expect(placed.map((d) => [d.x, d.level])).toEqual([[10, 0], [10, 1], [90, 0]]);
});
