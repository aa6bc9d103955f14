import { expect, test } from 'vitest';
import { build } from '../src/model';
import { first } from '../src/probes';

const series = (metric: string, arm: string, ...mean: number[]) => ({ metric, unit: '1', help: 'h', arm, threads: 8, mean, low: mean, high: mean });
const page = (differing: string[]) =>
  build({
    schema: 'tare.result/v1',
    arms: [{ name: 'bare', baseline: true, threads: 8 }, { name: 'pod', threads: 8 }],
    probes: {
      ends_s: [1, 2],
      series: [series('limit', 'bare', 9, 9), series('limit', 'pod', 1, 1), series('spike', 'bare', 0, 1), series('spike', 'pod', 0, 99), series('busy', 'bare', 3, 4), series('busy', 'pod', 2, 3)],
      differing: differing.map((metric) => ({ metric })),
    },
  }).probes;

test('metrics that differ for certain come first, in the order of the document', () => {
  expect(first(page(['busy']), 3).map((m) => m.name)).toEqual(['busy']);
  expect(first(page(['spike', 'busy', 'spike', 'unread']), 3).map((m) => m.name)).toEqual(['spike', 'busy']);
});

test('where none does, those whose means lie farthest apart do, a constant last', () => {
  expect(first(page([]), 3).map((m) => [m.name, m.rank])).toEqual([['spike', Infinity], ['busy', Infinity], ['limit', Infinity]]);
});
