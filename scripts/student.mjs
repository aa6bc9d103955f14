// Intervals by Student's distribution, for the scripts that judge runs.

const mean = (x) => x.reduce((a, b) => a + b, 0) / x.length;
export const variance = (x) => x.reduce((a, b) => a + (b - mean(x)) ** 2, 0) / (x.length - 1);

/** The mean of values with its 95 % interval. */
export function estimate(values) {
  const half = quantile(0.975, values.length - 1) * Math.sqrt(variance(values) / values.length);
  return { mean: mean(values), lo: mean(values) - half, hi: mean(values) + half };
}

/**
 * The difference of the means of two samples, a less b, with Welch's interval (Biometrika 34,
 * 1947), which is one of several that hold together at 95 % (Bonferroni).
 */
export function welch(a, b, several = 1) {
  const [va, vb] = [variance(a) / a.length, variance(b) / b.length];
  const df = (va + vb) ** 2 / (va ** 2 / (a.length - 1) + vb ** 2 / (b.length - 1));
  const half = quantile(1 - 0.025 / several, df) * Math.sqrt(va + vb);
  const d = mean(a) - mean(b);
  return { mean: d, lo: d - half, hi: d + half };
}

/** Student's quantile, by bisection of the density's integral (Simpson's rule). */
export function quantile(p, df) {
  const density = (x) => (1 + (x * x) / df) ** (-(df + 1) / 2);
  // With x = tan(u), the whole line is a finite stretch.
  const f = (u) => density(Math.tan(u)) * (1 + Math.tan(u) ** 2);
  const integral = (to) => {
    const n = 400;
    const h = to / n;
    let sum = f(0) + f(to);
    for (let i = 1; i < n; i++) sum += (i % 2 ? 4 : 2) * f(i * h);
    return (sum * h) / 3;
  };
  const whole = integral(Math.PI / 2 - 1e-9);
  let [lo, hi] = [0, Math.PI / 2 - 1e-9];
  for (let i = 0; i < 60; i++) {
    const u = (lo + hi) / 2;
    if (0.5 + integral(u) / whole / 2 < p) lo = u;
    else hi = u;
  }
  return Math.tan(lo);
}
