import { expect, test } from 'vitest';
import { costRange, fromZero, jitter, logRange, logTicks, niceStep, ticks } from '../src/scale';

test.each([[10, 5, 2], [1, 5, 0.2], [47, 6, 10], [0.9, 3, 0.5]])('span %d in %d steps of %d', (span, n, want) => {
  expect(niceStep(span, n)).toBeCloseTo(want);
});

test('the cost axis holds zero and both ends of the margin, whatever was measured', () => {
  for (const values of [[], [0.1], [40, 45], [-30], [99]]) {
    const r = costRange(values, values.flatMap((v) => [v - 1, v + 1]), 2);
    expect(r.min).toBeLessThanOrEqual(-2);
    expect(r.max).toBeGreaterThanOrEqual(2);
    for (const v of values) expect(r.min <= v && v <= r.max).toBe(true);
    expect(ticks(r)).toContain(0);
  }
});

test('one wide interval does not press the others flat', () => {
  const r = costRange([1, 2, 3], [-400, 90, 0.5, 3.5], 1);
  expect(r.max - r.min).toBeLessThan(15);
});

test('where most intervals are wide, most of them are shown whole', () => {
  const r = costRange([0, 0, 0], [-4, 3.9, -8, 7.4, -3.9, 3.8], 1);
  expect(r.min).toBeLessThanOrEqual(-4);
  expect(r.max).toBeGreaterThanOrEqual(3.9);
});

test('an axis from zero ends above the data', () => {
  for (const max of [0, 0.4, 97, 4827, 22128]) {
    const r = fromZero(max, 3);
    expect(r.min).toBe(0);
    expect(r.max).toBeGreaterThan(max);
    expect(ticks(r).at(-1)).toBeCloseTo(r.max);
  }
});

test.each([[0.3, 7, 0.2, 10], [1, 9.9, 1, 10], [5.2, 5.4, 5, 50], [1.9, 160, 1, 200], [0.0007, 0.02, 0.0005, 0.02]])(
  'log axis of %d to %d is %d to %d',
  (lo, hi, min, max) => {
    const r = logRange(lo, hi);
    expect(r.min).toBeCloseTo(min, 9);
    expect(r.max).toBeCloseTo(max, 9);
  },
);

test('log ticks', () => {
  expect(logTicks({ min: 0.2, max: 5 })).toEqual([0.2, 0.5, 1, 2, 5]);
  expect(logTicks({ min: 0.5, max: 2000 })).toEqual([1, 10, 100, 1000]);
});

test('jitter depends on the round alone and stays inside', () => {
  for (let r = 0; r < 200; r++) {
    expect(jitter(r)).toBe(jitter(r));
    expect(Math.abs(jitter(r))).toBeLessThanOrEqual(1);
  }
  expect(Math.abs(jitter(3) - jitter(4))).toBeGreaterThan(0.3);
});
