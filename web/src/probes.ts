// What was watched beside the load, by metric: every arm's mean over time and the
// range of all readings.

import { known, type Document } from './document';
import { visible } from './format';
import { quote } from './words';
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
  /** Its place among the metrics that differ for certain, from 0 on; Infinity for any other. */
  rank: number;
  /** How far the arms lie apart, against their own size; 0 for a constant. */
  apart: number;
}

/** probesOf leaves out series of arms that the document does not list. */
export function probesOf(doc: Document, find: (arm: string, threads: number | undefined) => Arm | undefined): Metric[] {
  const ends = (doc.probes?.ends_s ?? []).map(known);
  const all = new Map<string, Metric>();
  for (const s of doc.probes?.series ?? []) {
    const arm = find(s.arm, s.threads);
    if (!arm) continue;
    const per = known(s.display_per) || 1;
    const spans = ends.flatMap((end, i): Span[] => {
      const [mean, low, high] = [known(s.mean?.[i]), known(s.low?.[i]), known(s.high?.[i])];
      return end === null || mean === null || low === null || high === null ? [] : [{ end, mean: mean / per, low: low / per, high: high / per }];
    });
    const m = all.get(s.metric) ?? { name: s.metric, label: visible(s.metric, 60), unit: visible((s.display_per ? s.display_unit : s.unit) ?? '', 20), help: visible(quote(s.help ?? ''), 160), arms: [], rank: Infinity, apart: 0 };
    m.arms.push({ arm, spans });
    all.set(s.metric, m);
  }
  const ranked = [...new Set((doc.probes?.differing ?? []).map((d) => d.metric))];
  const rank = (m: Metric) => (ranked.includes(m.name) ? ranked.indexOf(m.name) : Infinity);
  return [...all.values()].map((m) => ({ ...m, rank: rank(m), apart: apart(m) }));
}

/** first are the metrics to look at first: those that differ for certain, or, where none does, those whose means lie farthest apart. */
export function first(metrics: readonly Metric[], most: number): Metric[] {
  const certain = metrics.filter((m) => m.rank < Infinity);
  if (certain.length) return certain.sort((a, b) => a.rank - b.rank).slice(0, most);
  return [...metrics].sort((a, b) => b.apart - a.apart).slice(0, most);
}

function apart(m: Metric): number {
  if (m.arms.every(({ spans }) => spans.every((s) => s.low === spans[0]!.low && s.high === spans[0]!.high && s.low === s.high))) return 0;
  const means = m.arms.filter((a) => a.spans.length).map((a) => a.spans.reduce((sum, s) => sum + s.mean, 0) / a.spans.length);
  if (means.length < 2) return 0;
  const [low, high] = [Math.min(...means), Math.max(...means)];
  return high === low ? 0 : (high - low) / Math.max(Math.abs(low), Math.abs(high));
}
