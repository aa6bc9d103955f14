// What was watched beside the load, by metric: every arm's mean over time and the
// range of all readings.

import { known, type Document } from './document';
import { visible } from './format';
import type { Arm } from './trial';

/** Span is an arm's readings of a metric in one span of time. */
export interface Span {
  end: number;
  mean: number;
  low: number;
  high: number;
}

export interface Metric {
  /** As the record has it: the key in a link. */
  name: string;
  label: string;
  unit: string;
  help: string;
  arms: { arm: Arm; spans: Span[] }[];
  /** How far the arms lie apart, against their own size: what to look at first. */
  apart: number;
}

/** probesOf leaves out series of arms that the document does not list. */
export function probesOf(doc: Document, find: (arm: string, threads: number | undefined) => Arm | undefined): Metric[] {
  const ends = (doc.probes?.ends_s ?? []).map(known);
  const all = new Map<string, Metric>();
  for (const s of doc.probes?.series ?? []) {
    const arm = find(s.arm, s.threads);
    if (!arm) continue;
    const spans = ends.flatMap((end, i): Span[] => {
      const [mean, low, high] = [known(s.mean?.[i]), known(s.low?.[i]), known(s.high?.[i])];
      return end === null || mean === null || low === null || high === null ? [] : [{ end, mean, low, high }];
    });
    const m = all.get(s.metric) ?? { name: s.metric, label: visible(s.metric, 60), unit: visible(s.unit ?? '', 20), help: visible(s.help ?? '', 160), arms: [], apart: 0 };
    m.arms.push({ arm, spans });
    all.set(s.metric, m);
  }
  return [...all.values()].map((m) => ({ ...m, apart: apart(m) }));
}

function apart(m: Metric): number {
  const means = m.arms.filter((a) => a.spans.length).map((a) => a.spans.reduce((sum, s) => sum + s.mean, 0) / a.spans.length);
  if (means.length < 2) return 0;
  const [low, high] = [Math.min(...means), Math.max(...means)];
  return high === low ? 0 : (high - low) / Math.max(Math.abs(low), Math.abs(high));
}
