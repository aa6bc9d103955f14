// The document, joined for drawing: every trial knows its arm, every contrast its
// rounds. The sign convention of the page is fixed here and in attribution.ts: cost in
// percent of the baseline, positive and to the right = worse.

import { visible } from './format';
import { quote } from './words';
import { attributionsOf, type Attribution } from './attribution';
import { budgetsOf, type Budget } from './budget';
import { passesOf, type Pass } from './calendar';
import { correlationsOf, type Correlation } from './correlation';
import { eventsOf, type Happening } from './events';
import { evidenceOf } from './evidence';
import { heatOf, type Heat } from './heat';
import { probesOf, type Metric } from './probes';
import type { Arm, Trial } from './trial';
import { flip, known, type ArmDoc, type ContrastDoc, type Document, type ScalingDoc, type TrialDoc } from './document';

export type { Attribution, Step } from './attribution';
export type { Arm, Second, Trial } from './trial';

/** Pair is one round of a contrast. */
export interface Pair {
  round: number;
  cost: number;
}

export interface Contrast {
  arm: Arm;
  base: Arm;
  verdict: string;
  reason: string;
  exploratory: boolean;
  /** True when the interval does not settle whether the cost exceeds the margin. */
  unsettled: boolean;
  /** Paired rounds; of runs whose trials are not paired, the trials. */
  rounds: number;
  paired: boolean;
  cost: number | null;
  /** 95 % and 90 % intervals of the cost, ascending. */
  outer: [number, number] | null;
  inner: [number, number] | null;
  pairs: Pair[];
}

/** Law is throughput by threads as the Universal Scalability Law has it. */
export interface Scaling {
  arm: string;
  at(threads: number): number;
  peak: number | null;
  /** The law does not describe the arm. */
  misfit: boolean;
}

/** Knee is at how many threads an arm is saturated, null where that was not reached or is not determined. */
export interface Knee {
  arm: string;
  state: string;
  threads: number | null;
  interval: [number, number] | null;
}

export interface Model {
  /** Name of the run and what its result holds for. */
  run: string;
  scope: string;
  margin: number;
  /** The points of the series are turns, not seconds. */
  turns: boolean;
  arms: Arm[];
  contrasts: Contrast[];
  attributions: Attribution[];
  probes: Metric[];
  /** Those of the probes that show a cause. */
  evidence: Metric[];
  heat: Heat;
  events: Happening[];
  budgets: Budget[];
  correlations: Correlation[];
  scalings: Scaling[];
  knees: Knee[];
  trials: Trial[];
  /** The session as it ran. */
  passes: Pass[];
}

/** build joins a document. Trials and contrasts of arms it does not list are left out. */
export function build(doc: Document): Model {
  const docs = doc.arms ?? [];
  const names = [...new Set(docs.map((a) => a.name))];
  const loads = new Set(docs.map((a) => a.threads ?? 0));
  const arms = docs.map((a, index) => armOf(a, index, names.indexOf(a.name), loads.size > 1));
  const byKey = new Map(docs.map((a, i) => [key(a.name, a.threads), arms[i]!]));
  const trials = (doc.trials ?? []).flatMap((t) => trialOf(t, byKey) ?? []);
  for (const t of trials) t.arm.trials.push(t);
  const probes = probesOf(doc, (arm, threads) => byKey.get(key(arm, threads)));
  return {
    run: visible(doc.run?.name ?? '', 60),
    scope: visible([doc.scope ?? '', doc.run?.plan_hash ? `Plan ${doc.run.plan_hash.slice(0, 12)}.` : ''].filter(Boolean).join(' '), 300),
    margin: Math.abs(known(doc.run?.margin_percent) ?? 0),
    turns: doc.protocol?.kind === 'slices',
    arms,
    trials,
    passes: passesOf(doc.attempts ?? [], (arm, threads) => byKey.get(key(arm, threads))),
    contrasts: (doc.contrasts ?? []).flatMap((c) => contrastOf(c, byKey, !doc.run?.imported) ?? []),
    scalings: (doc.scalings ?? []).flatMap((s) => scalingOf(s) ?? []),
    knees: (doc.scalings ?? []).flatMap((s) => kneeOf(s) ?? []),
    events: eventsOf(doc.events ?? [], (arm, threads) => byKey.get(key(arm, threads))),
    heat: heatOf(doc.heat, (arm, threads) => byKey.get(key(arm, threads))),
    correlations: correlationsOf(doc.correlations ?? [], arms),
    budgets: budgetsOf(doc.explained ?? [], (arm, threads) => byKey.get(key(arm, threads))),
    probes,
    evidence: evidenceOf(doc.explained ?? [], probes),
    attributions: attributionsOf(doc.attributions ?? [], loads.size > 1),
  };
}

const key = (name: string, threads: number | undefined): string => `${threads ?? 0} ${name}`;

function armOf(a: ArmDoc, index: number, hue: number, manyLoads: boolean): Arm {
  const counts = a.latency_ms?.histogram?.counts ?? [];
  const percentiles = Object.entries(a.latency_ms?.percentiles ?? {})
    .map(([p, v]) => [Number(p), known(v)] as const)
    .filter((e): e is [number, number] => Number.isFinite(e[0]) && e[1] !== null)
    .sort((x, y) => x[0] - y[0]);
  return {
    index,
    hue,
    label: visible(a.name, 32) + (manyLoads ? ` ×${a.threads ?? '?'}` : ''),
    baseline: a.baseline ?? false,
    name: a.name,
    threads: a.threads ?? 0,
    mean: known(a.throughput_mean),
    p95: known(a.tails?.find((t) => t.percentile === '95')?.mean_ms ?? a.latency_ms?.percentiles?.['95']),
    spread: (a.seconds_spread ?? []).flatMap((v) => known(v) ?? []),
    states: (a.states ?? []).flatMap((s) => {
      const level = known(s.level);
      return level === null ? [] : [{ level, share: known(s.share) ?? 0 }];
    }),
    histogram: counts.map(([ns, n]) => [ns / 1e6, n]),
    percentiles,
    trials: [],
  };
}

function trialOf(t: TrialDoc, arms: Map<string, Arm>): Trial | null {
  const arm = arms.get(key(t.arm, t.threads));
  if (!arm) return null;
  const seconds = (t.seconds ?? []).flatMap((s, i) => {
    const at = known(s);
    if (at === null) return [];
    const tps = known(t.tps?.[i]);
    const latency = known(t.latency_ms?.[i]);
    return [{ t: at, tps, latency, warmup: t.warmup?.[i] ?? false }];
  });
  return {
    id: t.trial,
    round: t.round,
    slot: t.slot ?? 0,
    arm,
    outcome: t.outcome,
    reason: visible(quote(t.reason ?? ''), 160),
    throughput: known(t.throughput),
    seconds,
    reduced: t.reduced_from ?? 0,
    change: known(t.change_s),
  };
}

// Gunther: X(N) = lambda N / (1 + sigma (N - 1) + kappa N (N - 1)).
function scalingOf(s: ScalingDoc): Scaling | null {
  const [lambda, sigma, kappa] = [known(s.lambda), known(s.sigma), known(s.kappa)];
  if (lambda === null || sigma === null || kappa === null) return null;
  const at = (n: number) => (lambda * n) / (1 + sigma * (n - 1) + kappa * n * (n - 1));
  return { arm: s.arm, at, peak: known(s.peak_threads), misfit: s.misfit ?? false };
}

function kneeOf({ arm, knee }: ScalingDoc): Knee | null {
  if (!knee) return null;
  const [lo, hi] = [known(knee.interval?.[0]), known(knee.interval?.[1])];
  return { arm, state: knee.state, threads: known(knee.threads), interval: lo !== null && hi !== null ? [lo, hi] : null };
}

function contrastOf(c: ContrastDoc, arms: Map<string, Arm>, paired: boolean): Contrast | null {
  const arm = arms.get(key(c.arm, c.threads));
  const base = arms.get(key(c.baseline, c.threads));
  if (!arm || !base) return null;
  const effect = known(c.effect_percent);
  return {
    arm,
    base,
    verdict: c.no_verdict ?? c.verdict,
    reason: visible(quote(c.reason ?? ''), 200),
    exploratory: c.exploratory ?? false,
    unsettled: c.past_margin === 'unsettled',
    rounds: c.rounds ?? 0,
    paired,
    cost: effect === null ? null : -effect,
    outer: flip(c.interval),
    inner: flip(c.interval90),
    pairs: (c.pairs ?? []).flatMap((p) => {
      const e = known(p.effect_percent);
      return e === null ? [] : [{ round: p.round, cost: -e }];
    }),
  };
}
