// How response times were spread over the seconds of the trials: counts by second and
// bucket, all rounds of an arm together.

import { known, type HeatDoc } from './document';
import type { Arm } from './trial';

/** Column is one span of seconds of an arm. */
export interface Column {
  from: number;
  to: number;
  total: number;
  /** Buckets that hold something: their bounds in milliseconds, and their share of the column. */
  cells: { low: number; high: number; share: number }[];
}

export interface Heat {
  columns: { arm: Arm; spans: Column[] }[];
  warmup: number | null;
}

/** heatOf leaves out series of arms that the document does not list. */
export function heatOf(doc: HeatDoc | null | undefined, find: (arm: string, threads: number | undefined) => Arm | undefined): Heat {
  const ends = (doc?.ends_s ?? []).map(known);
  const bounds = (doc?.bounds_ms ?? []).map(known);
  const bound = (k: number) => bounds[k] ?? null;
  const columns = (doc?.arms ?? []).flatMap((a) => {
    const arm = find(a.arm, a.threads);
    if (!arm) return [];
    const spans = ends.flatMap((to, k): Column[] => {
      const c = a.columns?.[k];
      const total = (c?.counts ?? []).reduce((sum, n) => sum + n, 0);
      if (to === null || !c || total <= 0) return [];
      const cells = c.counts.flatMap((n, i) => {
        // The first bucket begins at nothing, which a logarithm has no place for.
        const [high, low] = [bound(c.first + i + 1), bound(c.first + i) || (bound(1) ?? 0) / 2];
        return n > 0 && high !== null && low > 0 ? [{ low, high, share: n / total }] : [];
      });
      return [{ from: k ? (ends[k - 1] ?? 0) : 0, to, total, cells }];
    });
    return [{ arm, spans }];
  });
  return { columns, warmup: known(doc?.warmup_s) };
}

/** quantile is the end of the bucket that holds it. */
export function quantile(c: Column, q: number): number {
  let seen = 0;
  for (const cell of c.cells) {
    seen += cell.share;
    if (seen >= q - 1e-9) return cell.high;
  }
  return c.cells.at(-1)?.high ?? 0;
}
