// The document that the page carries: schema tare.result/v1, written by Go
// (internal/report/document.go), or tare.sessions/v1, two runs compared. Only what the
// charts need is described. Null is "not known"; anything may be absent, because a run
// may have measured anything or nothing.

type Maybe = number | null | undefined;

export interface Document {
  schema: string;
  run?: { name?: string; margin_percent?: Maybe; plan_hash?: string; imported?: boolean };
  scope?: string;
  protocol?: { kind?: string };
  arms?: ArmDoc[] | null;
  contrasts?: ContrastDoc[] | null;
  attributions?: AttributionDoc[] | null;
  scalings?: ScalingDoc[] | null;
  heat?: HeatDoc | null;
  events?: EventDoc[] | null;
  explained?: ExplainedDoc[] | null;
  correlations?: CorrelationDoc[] | null;
  probes?: { ends_s?: Maybe[] | null; series?: ProbeDoc[] | null; differing?: { metric: string }[] | null } | null;
  trials?: TrialDoc[] | null;
  attempts?: AttemptDoc[] | null;
}

/** One measurement of a trial; of a round that was set aside there are several. */
export interface AttemptDoc {
  trial: number;
  round: number;
  slot: number;
  arm: string;
  threads?: number;
  /** RFC 3339, UTC. */
  started?: string | null;
  took_s?: Maybe;
  outcome: string;
  set_aside?: boolean;
  gates?: string[] | null;
}

/** Points are percent of the baseline: negative is slower. */
export interface PartDoc {
  points?: Maybe;
  interval?: [Maybe, Maybe] | null;
}

export interface LayerDoc extends PartDoc {
  layer: string;
  share?: Maybe;
  share_interval?: [Maybe, Maybe] | null;
  order_range?: [Maybe, Maybe] | null;
  gives_back?: PartDoc | null;
}

export interface AttributionDoc {
  from: string;
  to: string;
  threads?: number;
  total?: PartDoc | null;
  layers?: LayerDoc[] | null;
  unexplained?: PartDoc | null;
}

export interface ArmDoc {
  name: string;
  baseline?: boolean;
  threads?: number;
  throughput_mean?: Maybe;
  /** 50 quantiles of the seconds, where series are reduced. */
  seconds_spread?: Maybe[] | null;
  states?: { level: Maybe; share: Maybe }[] | null;
  /** p95 and p99 over the trials. */
  tails?: { percentile: string; mean_ms?: Maybe }[] | null;
  latency_ms?: {
    percentiles?: Record<string, Maybe> | null;
    /** counts: [nanoseconds, how many], ascending. */
    histogram?: { counts?: [number, number][] | null } | null;
  } | null;
}

/** One metric of an arm over the seconds of its trials; low and high hold every reading. */
export interface ProbeDoc {
  metric: string;
  unit?: string;
  /** The unit in which views show the values, and how many of unit are one of it. */
  display_unit?: string;
  display_per?: Maybe;
  help?: string;
  arm: string;
  threads?: number;
  mean?: Maybe[] | null;
  low?: Maybe[] | null;
  high?: Maybe[] | null;
}

/** The Universal Scalability Law of an arm: threads to transactions/s. */
export interface ScalingDoc {
  arm: string;
  levels?: number[] | null;
  lambda?: Maybe;
  sigma?: Maybe;
  kappa?: Maybe;
  peak_threads?: Maybe;
  misfit?: boolean;
  knee?: { state: string; threads?: Maybe; interval?: [Maybe, Maybe] | null; why?: string };
}

/** Response times over the seconds of the trials. */
export interface HeatDoc {
  ends_s?: Maybe[] | null;
  warmup_s?: Maybe;
  bounds_ms?: Maybe[] | null;
  arms?: { arm: string; threads?: number; columns?: ({ first: number; counts: number[] } | null)[] | null }[] | null;
}

/** What happened to a database, with the throughput around it: 0 s is the event's beginning. */
export interface EventDoc {
  arm: string;
  threads?: number;
  number: number;
  kind: string;
  member: string;
  at_s?: Maybe;
  timeline?: {
    from_s?: Maybe;
    step_s?: Maybe;
    trials?: { round: number; tps?: Maybe[] | null; parts?: { name: string; from_s?: Maybe; to_s?: Maybe }[] | null }[] | null;
  } | null;
}

/** How a factor goes along with throughput over the arms of one level of the load. */
export interface CorrelationDoc {
  factor: string;
  declared?: boolean;
  threads?: number;
  telling?: boolean;
  rho?: Maybe;
  p?: Maybe;
  family_p?: Maybe;
  screened?: number;
  outlier?: string;
  rho_without_outlier?: Maybe;
  /** By the arm's name. */
  values?: Record<string, Maybe> | null;
}

/** What the counters say of an arm: its transaction's time, the whole first, then its parts. */
export interface ExplainedDoc {
  arm: string;
  threads?: number;
  budget?: SpentDoc[] | null;
  findings?: FindingDoc[] | null;
}

/** A cause with how far the run carries it; counters are the metrics of the probes that show it. */
export interface FindingDoc {
  rule: string;
  title?: string;
  state: string;
  counters?: string[] | null;
}

export interface SpentDoc {
  name: string;
  ms?: Maybe;
  /** To the baseline, with its 95 % interval over the rounds. */
  change_ms?: Maybe;
  interval_ms?: [Maybe, Maybe] | null;
  rounds?: number;
}

export interface ContrastDoc {
  arm: string;
  baseline: string;
  metric?: string;
  threads?: number;
  /** Change of throughput in percent: negative is slower. */
  effect_percent?: Maybe;
  interval?: [Maybe, Maybe] | null;
  interval90?: [Maybe, Maybe] | null;
  rounds?: number;
  verdict: string;
  /** Why there is none: "busy" or "early". */
  no_verdict?: string;
  past_margin?: string;
  reason?: string;
  exploratory?: boolean;
  pairs?: { round: number; baseline: Maybe; arm: Maybe; effect_percent: Maybe }[] | null;
}

export interface TrialDoc {
  trial: number;
  round: number;
  slot?: number;
  arm: string;
  threads?: number;
  outcome: string;
  reason?: string;
  throughput?: Maybe;
  /** Ends of the intervals, seconds since the load began. */
  seconds?: Maybe[] | null;
  tps?: Maybe[] | null;
  latency_ms?: Maybe[] | null;
  warmup?: boolean[] | null;
  /** How many entries there were before a long series was reduced; 0 when all are here. */
  reduced_from?: number;
  /** The level changes for good after this second. */
  change_s?: Maybe;
}

/** known is a number that can be counted with; else null. */
export const known = (x: Maybe): number | null => (typeof x === 'number' && Number.isFinite(x) ? x : null);

/** flip turns an interval of the effect (negative = slower) into one of the cost. */
export function flip(interval: [Maybe, Maybe] | null | undefined): [number, number] | null {
  const lo = known(interval?.[0]);
  const hi = known(interval?.[1]);
  return lo === null || hi === null ? null : [-hi, -lo];
}

/** SessionsDoc is the comparison of a run with an earlier one. */
export interface SessionsDoc {
  schema: string;
  before?: { run?: string };
  after?: { run?: string };
  margin_percent?: Maybe;
  contrasts?: ContrastDoc[] | null;
}

/** readDocument takes the document out of the page; null where there is none. */
export function readDocument(root: ParentNode): Document | null {
  const text = root.querySelector('#tare-data')?.textContent;
  if (!text) return null;
  const doc = JSON.parse(text) as Document | SessionsDoc;
  if (doc.schema === 'tare.sessions/v1') return sessions(doc as SessionsDoc);
  return doc.schema === 'tare.result/v1' ? (doc as Document) : null;
}

/** sessions of two runs as one document: the later run's arms against the earlier run. */
function sessions(s: SessionsDoc): Document {
  const before = s.before?.run ?? '';
  const contrasts = (s.contrasts ?? []).map((c) => ({ ...c, baseline: before }));
  const base = (c: ContrastDoc): ArmDoc => ({ name: before, threads: c.threads ?? 0, baseline: true });
  return {
    schema: s.schema,
    // The trials of two sessions are paired as little as imported ones.
    run: { name: s.after?.run ?? '', margin_percent: s.margin_percent ?? null, imported: true },
    arms: contrasts.flatMap((c) => [base(c), { name: c.arm, threads: c.threads ?? 0 }]),
    contrasts,
  };
}
