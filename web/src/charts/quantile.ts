// Distributions as dots that each stand for the same share.

/** quantiles is n values that split sorted into n equal parts, each part's middle. */
export function quantiles(sorted: readonly number[], n: number): number[] {
  if (!sorted.length) return [];
  if (sorted.length <= n) return [...sorted];
  return Array.from({ length: n }, (_, i) => {
    const at = ((i + 0.5) / n) * sorted.length - 0.5;
    const lo = Math.floor(at);
    const a = sorted[Math.max(0, lo)]!;
    const b = sorted[Math.min(sorted.length - 1, lo + 1)]!;
    return a + (b - a) * (at - lo);
  });
}

export interface Placed {
  /** Column's middle in pixels, and place in the column, from 0. */
  x: number;
  level: number;
  value: number;
}

/** stack puts dots of one diameter into columns (Wilkinson's dot plot on a fixed lattice). */
export function stack(values: readonly number[], pixel: (v: number) => number, diameter: number): Placed[] {
  const heights = new Map<number, number>();
  return values.map((value) => {
    const column = Math.round(pixel(value) / diameter);
    const level = heights.get(column) ?? 0;
    heights.set(column, level + 1);
    return { x: column * diameter, level, value };
  });
}
