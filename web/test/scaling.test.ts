// Where the curve of an arm is saturated reaches the chart and its table.

import { expect, test } from 'vitest';
import { scaling } from '../src/charts/scaling';
import { build } from '../src/model';

const arm = (name: string, threads: number) => ({ name, threads, throughput_mean: 100 * threads });

test('a knee has its interval, and one that was not reached has no figure', () => {
  const m = build({
    arms: [arm('bare', 1), arm('bare', 8), arm('pod', 1), arm('pod', 8)],
    scalings: [
      { arm: 'bare', knee: { state: 'found', threads: 4, interval: [3, 5] } },
      { arm: 'pod', knee: { state: 'not-reached', threads: null, interval: null } },
    ],
  } as unknown as Parameters<typeof build>[0]);
  expect(m.knees).toEqual([
    { arm: 'bare', state: 'found', threads: 4, interval: [3, 5] },
    { arm: 'pod', state: 'not-reached', threads: null, interval: null },
  ]);
  const [head, ...rows] = scaling.rows!(m);
  expect(head!.slice(-3)).toEqual(['saturated_threads', 'saturated_lo95', 'saturated_hi95']);
  expect(rows.map((r) => r.slice(-3))).toEqual([[4, 3, 5], [4, 3, 5], [null, null, null], [null, null, null]]);
});
