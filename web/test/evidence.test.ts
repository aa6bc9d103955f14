import { expect, test } from 'vitest';
import { build } from '../src/model';

const series = (metric: string, arm: string, threads = 8) => ({ metric, unit: 'ns/s', help: 'h', arm, threads, mean: [1, 2], low: [1, 2], high: [1, 2] });
const finding = (verdict: string, ...counters: string[]) => ({ rule: 'C-1', title: 'The quota', verdict, counters });

test('evidence is the counters of confirmed causes, in the arms that have them and the baseline', () => {
  const { evidence } = build({
    schema: 'tare.result/v1',
    arms: [{ name: 'bare', baseline: true, threads: 8 }, { name: 'pod', threads: 8 }, { name: 'other', threads: 8 }, { name: 'late', threads: 8 }],
    probes: { ends_s: [1, 2], series: ['bare', 'pod', 'other', 'late'].map((a) => series('throttled', a)).concat([series('reads', 'bare')]) },
    explained: [
      { arm: 'pod', threads: 8, findings: [finding('confirmed', 'throttled', 'reads', 'never')] },
      { arm: 'other', threads: 8, findings: [finding('ruled out', 'throttled')] },
      { arm: 'late', threads: 8, findings: [finding('confirmed', 'throttled'), { rule: 'C-2', verdict: 'confirmed' }] },
      { arm: 'stranger', threads: 8, findings: [finding('confirmed', 'throttled')] },
    ],
  });
  // What was read in the baseline alone shows nothing.
  expect(evidence.map((m) => [m.label, m.unit, m.help, m.arms.map((a) => a.arm.name)])).toEqual([['C-1: throttled', 'ns/s', 'The quota', ['bare', 'pod', 'late']]]);
});
