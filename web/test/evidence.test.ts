import { expect, test } from 'vitest';
import { build } from '../src/model';

const series = (metric: string, arm: string, threads = 8) => ({ metric, unit: 'ns/s', help: 'h', arm, threads, mean: [1, 2], low: [1, 2], high: [1, 2] });
const finding = (state: string, ...counters: string[]) => ({ rule: 'C-1', title: 'The quota', state, counters });

test('evidence is the counters of causes, in the arms that have them and the baseline', () => {
  const { evidence } = build({
    schema: 'tare.result/v1',
    arms: [{ name: 'bare', baseline: true, threads: 8 }, { name: 'pod', threads: 8 }, { name: 'other', threads: 8 }, { name: 'late', threads: 8 }],
    probes: { ends_s: [1, 2], series: ['bare', 'pod', 'other', 'late'].map((a) => series('throttled', a)).concat([series('reads', 'bare')]) },
    explained: [
      { arm: 'pod', threads: 8, findings: [finding('present', 'throttled', 'reads', 'never')] },
      { arm: 'other', threads: 8, findings: [finding('ruled out', 'throttled')] },
      { arm: 'late', threads: 8, findings: [finding('present', 'throttled'), { rule: 'C-2', state: 'present' }] },
      { arm: 'stranger', threads: 8, findings: [finding('present', 'throttled')] },
    ],
  });
  // What was read in the baseline alone shows nothing.
  expect(evidence.map((m) => [m.label, m.unit, m.help, m.arms.map((a) => a.arm.name)])).toEqual([['C-1: throttled', 'ns/s', 'The quota', ['bare', 'pod', 'late']]]);
});

test('readings are shown in the unit that the document names', () => {
  const { probes } = build({
    schema: 'tare.result/v1',
    arms: [{ name: 'bare', baseline: true, threads: 8 }],
    probes: { ends_s: [1, 2], series: [{ ...series('cpu', 'bare'), mean: [5e8, 2e9], low: [5e8, 1e9], high: [5e8, 3e9], display_unit: 'CPU', display_per: 1e9 }] },
  });
  expect(probes.map((m) => [m.unit, m.arms[0]!.spans])).toEqual([
    ['CPU', [{ end: 1, mean: 0.5, low: 0.5, high: 0.5 }, { end: 2, mean: 2, low: 1, high: 3 }]],
  ]);
});
