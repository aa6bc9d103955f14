// An arm, its trials and their seconds: what model.ts joins from the document, and what
// the parts of the model refer to.

/** One arm at one level of the load. */
export interface Arm {
  /** Place in the document: the key of toggles and links, never the hostile name. */
  index: number;
  /** Colour and line pattern: the same for one name at every level of the load. */
  hue: number;
  label: string;
  baseline: boolean;
  mean: number | null;
  /** ms, over the trials. */
  p95: number | null;
  name: string;
  threads: number;
  states: { level: number; share: number }[];
  /** Quantiles of the measured seconds, where the seconds themselves are reduced. */
  spread: number[];
  /** [milliseconds, count], ascending. */
  histogram: [number, number][];
  /** [percent, milliseconds], ascending; for runs without a histogram. */
  percentiles: [number, number][];
  trials: Trial[];
}

/** One second of a trial; null where the engine reported nothing. */
export interface Second {
  t: number;
  tps: number | null;
  latency: number | null;
  warmup: boolean;
}

export interface Trial {
  id: number;
  round: number;
  slot: number;
  arm: Arm;
  outcome: string;
  reason: string;
  throughput: number | null;
  seconds: Second[];
  /** How many seconds there were when not all are here, else 0. */
  reduced: number;
  /** The level changes for good after this second. */
  change: number | null;
}
