// Percentiles on an axis of nines: p90, p99 and p99.9 are equally far apart, because
// that is how rare their requests are.

import { say } from '../words';

/** nines of a fraction p below 1: 0.9 -> 1, 0.99 -> 2. */
export const nines = (p: number): number => -Math.log10(1 - p);

/** fraction is nines turned round. */
export const fraction = (n: number): number => 1 - 10 ** -n;

/** percentileName of a place on the axis: p50, p99, p99.97. */
export function percentileName(n: number): string {
  const digits = Math.max(0, Math.ceil(n - 1e-9) - 1);
  return say('percentile', { p: Number((fraction(n) * 100).toFixed(Math.min(5, digits))) });
}

export interface Curve {
  /** [nines, milliseconds]: with at least SURE values beyond, and with fewer. */
  solid: [number, number][];
  dashed: [number, number][];
  total: number;
}

/** Fewer values than SURE beyond a percentile make it a few requests' luck; fewer
 * than LEAST are not drawn at all. */
export const SURE = 30;
export const LEAST = 10;

/** curve of a histogram, [milliseconds, count] ascending. */
export function curve(histogram: readonly [number, number][]): Curve {
  const total = histogram.reduce((n, [, count]) => n + count, 0);
  const solid: [number, number][] = [];
  const dashed: [number, number][] = [];
  let seen = 0;
  for (const [ms, count] of histogram) {
    if (!count) continue;
    const before = seen;
    seen += count;
    const beyond = total - seen;
    // The bucket's first value is drawn too, so that a step is a step.
    if (!solid.length && total - before >= SURE) solid.push([nines(before / total), ms]);
    if (beyond >= SURE) solid.push([nines(seen / total), ms]);
    else if (beyond >= LEAST) dashed.push([nines(seen / total), ms]);
  }
  const joint = solid.at(-1);
  if (joint && dashed.length) dashed.unshift(joint);
  return { solid, dashed, total };
}

/**
 * density of a histogram in bins of a log axis, its whole being 1: [milliseconds of
 * the bin's middle, share]. A bucket's count is spread over the bucket's width: whole
 * buckets do not fit bins evenly, and the beat between the two lattices would draw
 * notches that nobody measured.
 */
export function density(histogram: readonly [number, number][], binsPerDecade: number): [number, number][] {
  const buckets = histogram.filter(([ms, count]) => ms > 0 && count > 0);
  const total = buckets.reduce((n, [, count]) => n + count, 0);
  const bins = new Map<number, number>();
  const logs = buckets.map(([ms]) => Math.log10(ms) * binsPerDecade);
  buckets.forEach(([, count], i) => {
    const [lo, hi] = extent(logs, i);
    for (let bin = Math.floor(lo); bin < hi; bin++) {
      const part = (Math.min(hi, bin + 1) - Math.max(lo, bin)) / (hi - lo);
      bins.set(bin, (bins.get(bin) ?? 0) + (part * count) / total);
    }
  });
  const keys = [...bins.keys()];
  if (!keys.length) return [];
  const [from, to] = [keys.reduce((a, b) => Math.min(a, b)), keys.reduce((a, b) => Math.max(a, b))];
  const middle = (bin: number) => 10 ** ((bin + 0.5) / binsPerDecade);
  // Empty bins are drawn as empty: a valley between two heaps is a finding.
  return Array.from({ length: to - from + 1 }, (_, i) => [middle(from + i), bins.get(from + i) ?? 0]);
}

/** extent of bucket i: half way to its nearer neighbour on both sides, one bin at most. */
function extent(logs: readonly number[], i: number): [number, number] {
  const left = i > 0 ? logs[i]! - logs[i - 1]! : Infinity;
  const right = i + 1 < logs.length ? logs[i + 1]! - logs[i]! : Infinity;
  const half = Math.min(left, right, 1) / 2;
  return [logs[i]! - half, logs[i]! + half];
}

/** valueAt a place on the axis; null where the curve is not drawn. */
export function valueAt(c: Curve, n: number): { ms: number; sure: boolean } | null {
  for (const [points, sure] of [[c.solid, true], [c.dashed, false]] as const) {
    const at = points.findIndex(([x]) => x >= n - 1e-9);
    if (at >= 0) return { ms: points[at]![1], sure };
  }
  return null;
}
