import { expect, test } from 'vitest';
import english from '../../internal/report/language/en.json';
import { budgetsOf, reach, seen } from '../src/budget';
import { hatch } from '../src/hatch';
import { build } from '../src/model';
import { setLanguage } from '../src/words';

setLanguage({ ...english, texts: [] });

const spent = (name: string, ms: number | null, change: number | null = null) => ({ name, ms, change_ms: change, interval_ms: change === null ? null : ([change - 1, change + 1] as [number, number]), rounds: 6 });

test('a budget is the whole and its parts in the order of a bar', () => {
  const { budgets } = build({
    schema: 'tare.result/v1',
    arms: [{ name: 'bare', threads: 8, baseline: true }, { name: 'pod', threads: 8 }],
    explained: [
      { arm: 'bare', threads: 8, budget: [spent('a transaction', 4), spent('network and client', 1), spent('<b>', 1), spent('on a CPU', 2)] },
      { arm: 'pod', threads: 8, budget: [spent('a transaction', 6, 2), spent('throttled', null), spent('on a CPU', 5, 3), spent('row locks', 0.01, 0)] },
      { arm: 'pod', threads: 64, budget: [spent('a transaction', 6), spent('on a CPU', 5)] },
      { arm: 'bare', threads: 8, budget: [] },
      { arm: 'bare', threads: 8, budget: [spent('a transaction', null), spent('on a CPU', 5)] },
    ],
  });
  // Arms that are not listed, and budgets without a whole, are left out.
  expect(budgets.map((b) => b.arm.name)).toEqual(['bare', 'pod']);
  const [bare, pod] = budgets;
  expect(bare!.parts.map((s) => s.name)).toEqual(['on a CPU', 'network and client', '<b>']);
  expect(bare!.whole).toMatchObject({ ms: 4, change: null, interval: null });
  expect(pod!.parts.map((s) => [s.name, s.ms, s.change, s.interval])).toEqual([['on a CPU', 5, 3, [2, 4]], ['row locks', 0.01, 0, [-1, 1]]]);
  // What nobody could see has no entry in the key.
  expect(seen(budgets).map((s) => s.name)).toEqual(['on a CPU', 'network and client', '<b>']);
});

test('a bar reaches as far as its parts, or as its whole', () => {
  const [one, two] = ['a', 'b'].map((arm, i) =>
    budgetsOf([{ arm, budget: [spent('a transaction', 4), spent('on a CPU', i ? 3 : 1), spent('throttled', 2)] }], () => ({}) as never)[0]!);
  expect([reach(one!), reach(two!)]).toEqual([4, 5]);
});

test('the lines of a pattern stay inside, and patterns differ', () => {
  const paths = [0, 1, 2, 3, 4, 5, 6, 7].map((k) => hatch(k, 10, 20, 33, 20));
  expect(paths[0]).toBe('');
  expect(new Set(paths).size).toBe(8);
  for (const path of paths) {
    for (const [, x, y] of path.matchAll(/[ML]([\d.-]+) ([\d.-]+)/g)) {
      expect(Number(x)).toBeGreaterThanOrEqual(10);
      expect(Number(x)).toBeLessThanOrEqual(43);
      expect(Number(y)).toBeGreaterThanOrEqual(20);
      expect(Number(y)).toBeLessThanOrEqual(40);
    }
  }
});
