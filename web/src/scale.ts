// Ranges and ticks that do not mislead.

/** niceStep is 1, 2 or 5 times a power of ten, so that span holds about n of them. */
export function niceStep(span: number, n: number): number {
  const raw = span / n;
  const power = 10 ** Math.floor(Math.log10(raw));
  const lead = raw / power;
  return power * (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10);
}

export interface Range {
  min: number;
  max: number;
  step: number;
}

/**
 * costRange holds zero, both ends of the margin and every estimate; bounds may leave
 * it (they end in an arrow), because one wide interval would press all the others
 * flat. values: estimates; bounds: ends of intervals.
 */
export function costRange(values: number[], bounds: number[], margin: number): Range {
  const lo = Math.min(0, -margin, ...values);
  const hi = Math.max(0, margin, ...values);
  // As far as half of the bounds reach: where most intervals are wide, none presses the others.
  const reach = bounds.map((b) => Math.max(0, lo - b, b - hi)).sort((a, b) => a - b)[Math.floor((bounds.length - 1) / 2)] ?? 0;
  const room = Math.max(Math.max(hi - lo, 2 * margin, 1) * 0.6, 1.1 * reach);
  const min = Math.min(lo, Math.max(lo - room, Math.min(lo, ...bounds)));
  const max = Math.max(hi, Math.min(hi + room, Math.max(hi, ...bounds)));
  const pad = (max - min) * 0.06;
  return widen(min - pad, max + pad, 6);
}

/** widen rounds a range outwards to half steps. */
export function widen(min: number, max: number, n: number): Range {
  const step = niceStep(max - min || 1, n);
  const half = step / 2;
  return { min: Math.floor(min / half + 1e-9) * half, max: Math.ceil(max / half - 1e-9) * half, step };
}

/** ticks are the multiples of the step inside a range. */
export function ticks({ min, max, step }: Range): number[] {
  const out: number[] = [];
  for (let i = Math.ceil(min / step - 1e-9); i * step <= max + step * 1e-9; i++) out.push(i * step);
  return out;
}

/** fromZero is a range for a quantity that a reader compares by height. */
export function fromZero(max: number, n: number): Range {
  const step = niceStep(max > 0 ? max : 1, n);
  return { min: 0, max: Math.ceil((max * 1.04) / step) * step || step, step };
}

export interface LogRange {
  min: number;
  max: number;
}

const LEADS = [1, 2, 5] as const;

/** logRange rounds outwards to 1, 2 or 5 times a power of ten, one step apart at least. */
export function logRange(lo: number, hi: number): LogRange {
  const at = (x: number, pick: (n: number) => number) => pick(3 * Math.log10(x));
  const mark = (third: number) => LEADS[((third % 3) + 3) % 3]! * 10 ** Math.floor(third / 3);
  let from = at(lo, (n) => Math.floor(n + 1e-9));
  let to = at(hi, (n) => Math.ceil(n - 1e-9));
  // A third of a decade is 2.15, close to the leads 2 and 5 but not the same.
  while (mark(from) > lo) from--;
  while (mark(to) < hi) to++;
  if (to - from < 3) to = from + 3;
  return { min: mark(from), max: mark(to) };
}

/** logTicks of a range: 1, 2, 5 below two and a half decades, else powers of ten. */
export function logTicks({ min, max }: LogRange): number[] {
  const leads = Math.log10(max / min) > 2.5 ? [1] : LEADS;
  const out: number[] = [];
  for (let e = Math.floor(Math.log10(min) + 1e-9); e <= Math.ceil(Math.log10(max)); e++) {
    for (const lead of leads) {
      // Division for negative powers: 1 * 10 ** -1 is exact this way round.
      const v = e < 0 ? lead / 10 ** -e : lead * 10 ** e;
      if (v >= min * 0.999 && v <= max * 1.001) out.push(v);
    }
  }
  return out;
}

/** jitter is a place in -1 to 1 that depends on the round alone: two renders agree. */
export function jitter(round: number): number {
  // Weyl sequence of the golden ratio: neighbours in time are far apart in place.
  return ((round * 0.6180339887498949) % 1) * 2 - 1;
}
