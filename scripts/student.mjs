// Intervals by Student's distribution, for the scripts that judge runs.

// Quantiles t(.975) of Student's distribution for 1 to 30 degrees of freedom.
export const t975 = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131,
  2.12, 2.11, 2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045, 2.042,
];

/** The mean of values with its 95 % interval. */
export function estimate(values) {
  const n = values.length;
  const mean = values.reduce((a, b) => a + b, 0) / n;
  const sd = Math.sqrt(values.reduce((a, b) => a + (b - mean) ** 2, 0) / (n - 1));
  const half = (t975[Math.min(n - 1, 30) - 1] * sd) / Math.sqrt(n);
  return { mean, lo: mean - half, hi: mean + half };
}
