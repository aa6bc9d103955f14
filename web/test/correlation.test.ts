import { expect, test } from 'vitest';
import { documents } from '../e2e/documents';
import type { Document } from '../src/document';
import { build } from '../src/model';

test('a correlation has a point for each arm that gave a number, in the order of its factor', () => {
  const { correlations, arms } = build(documents['plugins'] as unknown as Document);
  // Only what Go calls telling is drawn.
  expect(correlations.map((c) => c.factor)).toEqual(['cgroup.pod.cpu.stat.throttled_time per transaction', 'network_gbps']);
  const asked = correlations[1]!;
  expect(asked.points.map((p) => p.value)).toEqual([5, 6.1, 7, 8.2, 9.1, 9.8, 9.9]);
  expect(asked.outlier).toBe(arms.find((a) => a.name === '{userspace}'));
  expect(asked.points.at(-1)).toMatchObject({ arm: asked.outlier, tps: asked.outlier!.mean });
});

test('strangers, other levels of the load and arms without a number are left out', () => {
  const { correlations } = build({
    schema: 'tare.result/v1',
    arms: [{ name: 'a', threads: 8, throughput_mean: 1 }, { name: 'a', threads: 16, throughput_mean: 2 }, { name: 'b', threads: 8, throughput_mean: 3 }, { name: 'c', threads: 8, throughput_mean: null }],
    correlations: [
      { factor: 'x', telling: true, threads: 8, values: { a: 2, b: 1, c: 3, d: 4 }, outlier: 'd' },
      { factor: 'one point', telling: true, threads: 16, values: { a: 2, b: 1 } },
      { factor: 'older document', telling: true, threads: 8 },
    ],
  });
  expect(correlations.map((c) => [c.factor, c.points.map((p) => [p.arm.name, p.value]), c.outlier])).toEqual([['x', [['b', 1], ['a', 2]], null]]);
});
