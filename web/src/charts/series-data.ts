// The seconds of a trial, made ready for a line.

import type { Second, Trial } from '../model';

export type Metric = 'tps' | 'latency';

/**
 * points of a trial's line. Where seconds are missing a null goes in, because a line
 * that joins both sides of a gap draws seconds nobody measured.
 */
export function points(t: Trial, metric: Metric): [number, number | null][] {
  // A reduced series has no usual distance; its gaps stand in it as seconds without a value.
  const usual = t.reduced ? Infinity : step(t.seconds);
  const out: [number, number | null][] = [];
  let last: Second | undefined;
  for (const s of t.seconds) {
    if (last && s.t - last.t > 1.5 * usual) out.push([(s.t + last.t) / 2, null]);
    out.push([s.t, s[metric]]);
    last = s;
  }
  return out;
}

/** step is the usual distance of two seconds: the lower median of their differences. */
export function step(seconds: readonly Second[]): number {
  const gaps = seconds.slice(1).map((s, i) => s.t - seconds[i]!.t).sort((a, b) => a - b);
  return gaps[Math.floor((gaps.length - 1) / 2)] ?? 1;
}

/** nearest is the point at a time, within half of what lies between two: a second, or a turn. */
export function nearest(seconds: readonly Second[], t: number): Second | undefined {
  const near = step(seconds) / 2 + 1e-6;
  return seconds.reduce<Second | undefined>((best, s) => (Math.abs(s.t - t) <= Math.min(near, best ? Math.abs(best.t - t) : near) ? s : best), undefined);
}

/** start of a trial's series: where its first second begins. */
const start = (t: Trial): number => (t.seconds[0]?.t ?? 0) - step(t.seconds);

/** together says whether the series can share a clock: all begin within two seconds. */
export function together(trials: readonly Trial[]): boolean {
  const starts = trials.filter((t) => t.seconds.length).map(start);
  return starts.every((s) => Math.abs(s - starts[0]!) <= 2);
}

/**
 * fromStart is a trial on its own clock. Pieces of other people's logs begin
 * anywhere; drawn on one clock they would be specks at both ends of an empty axis.
 */
export function fromStart(t: Trial): Trial {
  const zero = start(t);
  return { ...t, seconds: t.seconds.map((s) => ({ ...s, t: s.t - zero })) };
}

/** measured is the seconds that count: those after the warm-up. */
export const measured = (t: Trial): Second[] => t.seconds.filter((s) => !s.warmup);

/** warmupEnd is where the longest warm-up of some trials ends, null without one. */
export function warmupEnd(trials: readonly Trial[]): number | null {
  const ends = trials.flatMap((t) => t.seconds.filter((s) => s.warmup).map((s) => s.t));
  return ends.length ? ends.reduce((a, b) => Math.max(a, b)) : null;
}

/** span is the first and last second of some trials, from the start of that second. */
export function span(trials: readonly Trial[]): [number, number] {
  let [lo, hi] = [Infinity, -Infinity];
  for (const t of trials) {
    const width = step(t.seconds);
    for (const s of t.seconds) {
      lo = Math.min(lo, s.t - width);
      hi = Math.max(hi, s.t);
    }
  }
  return lo < hi ? [Math.max(0, lo), hi] : [0, 1];
}
