// What shows it? The counters of every cause that is present over the seconds of a trial, in
// the arms that have it and in the baseline: small, on the clock of all charts of time.

import { armToggles, hint } from '../tools';
import type { Chart } from '../view';
import { strips } from './probes';

/** More are below, among all that was watched. */
const MOST = 8;

export const evidence: Chart = {
  name: 'evidence',
  help: 'help.evidence',
  rows: (m) => [
    ['counter', 'unit', 'arm', 'end_s', 'mean', 'low', 'high'],
    ...m.evidence.flatMap((p) => p.arms.flatMap((a) => a.spans.map((s) => [p.name, p.unit, a.arm.label, s.end, s.mean, s.low, s.high]))),
  ],
  tools: (page) => [...armToggles(page), hint('zoom')],
  draw: (c) => strips(c, c.model.evidence.slice(0, MOST), c.width >= 720 ? 2 : 1),
};
