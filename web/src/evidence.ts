// The counters that show a cause: the probes' own metrics, of the arms in which
// the cause is present and of their baseline.

import type { ExplainedDoc } from './document';
import { visible } from './format';
import type { Metric } from './probes';
import { quote } from './words';

/** evidenceOf is one metric a rule and counter; without readings of an arm with the cause there is none. */
export function evidenceOf(docs: ExplainedDoc[], probes: readonly Metric[]): Metric[] {
  const all = new Map<string, Metric>();
  for (const d of docs) {
    for (const f of d.findings ?? []) {
      for (const counter of ['present', 'explains', 'proved'].includes(f.state) ? (f.counters ?? []) : []) {
        const metric = probes.find((m) => m.name === counter);
        const mine = metric?.arms.filter(({ arm }) => arm.threads === (d.threads ?? 0) && (arm.name === d.arm || arm.baseline)) ?? [];
        if (!metric || !mine.some(({ arm }) => arm.name === d.arm)) continue;
        const key = `${f.rule} ${counter}`;
        const before = all.get(key)?.arms ?? [];
        const arms = metric.arms.filter((a) => before.includes(a) || mine.includes(a));
        all.set(key, { ...metric, name: key, label: `${visible(f.rule, 20)}: ${metric.label}`, help: visible(quote(f.title ?? ''), 120), arms });
      }
    }
  }
  return [...all.values()];
}
