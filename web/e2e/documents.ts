// Documents to draw, made from a seed: what the Go program would write.

type Any = Record<string, unknown>;

/** mulberry32, so that a picture of today can be compared with one of tomorrow. */
export function random(seed: number): () => number {
  let a = seed;
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

function normal(next: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
}

export interface ArmPlan {
  name: string;
  tps: number;
  noise?: number;
  /** A second level, and how likely a second is to leave the present one. */
  other?: number;
  p99?: number;
  verdict?: string;
  halfWidth?: number;
  /** The second of round 2 after which its level is said to change. */
  changes?: number;
  outcomes?: Record<number, string>;
}

export interface Plan {
  name: string;
  arms: ArmPlan[];
  rounds: number;
  warmup: number;
  seconds: number;
  margin?: number;
  histogram?: boolean;
  threads?: number;
}

/** make builds a whole document from a plan. */
export function make(plan: Plan): Any {
  const next = random(plan.name.length * 7919);
  const trials: Any[] = [];
  for (let round = 1; round <= plan.rounds; round++) {
    plan.arms.forEach((arm, slot) => trials.push(trial(plan, arm, round, slot, trials.length + 1, next)));
  }
  const [base, ...others] = plan.arms;
  return {
    schema: 'tare.result/v1',
    run: { name: plan.name, margin_percent: plan.margin ?? 1 },
    headline: [`${others[0]?.name ?? ''} against ${base!.name}.`],
    arms: plan.arms.map((a, i) => armDoc(plan, a, i, trials)),
    contrasts: others.map((a) => contrast(plan, base!, a, trials)),
    probes: watched(plan, next),
    ...(plan.histogram === false ? {} : { heat: heat(plan), explained: plan.arms.map((a, i) => explained(plan, a, i)) }),
    trials,
  };
}

function trial(plan: Plan, arm: ArmPlan, round: number, slot: number, id: number, next: () => number): Any {
  const outcome = arm.outcomes?.[round] ?? 'measured';
  const level = arm.tps * (1 + 0.006 * normal(next));
  const seconds: number[] = [];
  const tps: number[] = [];
  const latency: number[] = [];
  const warmup: boolean[] = [];
  let high = false;
  for (let s = 1; outcome === 'measured' && s <= plan.warmup + plan.seconds; s++) {
    if (arm.other && next() < 0.12) high = !high;
    const ramp = Math.min(1, 0.35 + s / Math.max(1, plan.warmup));
    const v = (high ? arm.other! : level) * ramp * (1 + (arm.noise ?? 0.012) * normal(next));
    seconds.push(s);
    tps.push(Math.max(0, Math.round(v * 100) / 100));
    latency.push(Math.round((arm.p99 ?? 8) * (level / v) * (1 + 0.05 * Math.abs(normal(next))) * 100) / 100);
    warmup.push(s <= plan.warmup);
  }
  const kept = tps.filter((_, i) => !warmup[i]);
  const mean = kept.length ? kept.reduce((a, b) => a + b, 0) / kept.length : null;
  const reason = outcome === 'measured' ? '' : 'the server did not answer within 60 s';
  return { trial: id, round, slot: slot + 1, arm: arm.name, threads: plan.threads ?? 16, outcome, reason, throughput: mean, seconds, tps, latency_ms: latency, warmup, change_s: arm.changes === undefined || round !== 2 || outcome !== 'measured' ? null : arm.changes };
}

// Two metrics: one that all arms share, one that tells the slow arms apart.
function watched(plan: Plan, next: () => number): Any {
  const spans = plan.warmup + plan.seconds;
  const series = [['cgroup.cpu.throttled', 'ns/s', 'time that the quota kept the server waiting', 2e7], ['host.cpu.busy', 'cpus', 'CPUs that were not idle', 0]].flatMap(([metric, unit, help, apart]) =>
    plan.arms.map((a, i) => {
      const mean = Array.from({ length: spans }, () => 10 + (apart as number) * i + normal(next));
      return { metric, unit, help, counter: true, arm: a.name, threads: plan.threads ?? 16, mean, low: mean.map((v) => v - 2), high: mean.map((v) => v * 1.1 + 2) };
    }),
  );
  const differing = plan.arms.slice(1).map((a) => ({ metric: 'cgroup.cpu.throttled', arm: a.name, threads: plan.threads ?? 16 }));
  return { ends_s: Array.from({ length: spans }, (_, i) => i + 1), series, differing };
}

// One heap an arm, in buckets of a quarter of an octave from a microsecond on, and a
// stall in its tenth second.
function heat(plan: Plan): Any {
  const ends_s = Array.from({ length: plan.warmup + plan.seconds }, (_, i) => i + 1);
  const bounds_ms = [0, ...Array.from({ length: 90 }, (_, k) => 0.001024 * 2 ** Math.floor(k / 4) * (1 + (k % 4) / 4))];
  const arms = plan.arms.map((a) => {
    const first = bounds_ms.findIndex((b) => b > (a.p99 ?? 8) / 3) - 5;
    const heap = [1, 30, 300, 1800, 2400, 1500, 400, 90, 20, 4];
    const columns = ends_s.map((s) => (s === 10 ? { first, counts: [...heap.map((n) => Math.ceil(n / 40)), 0, 0, 9, 9] } : { first, counts: heap }));
    return { arm: a.name, threads: plan.threads ?? 16, columns };
  });
  return { ends_s, warmup_s: plan.warmup, bounds_ms, arms };
}

// Where a transaction's time goes: what an arm takes longer than the first one, it waits
// for a CPU or for its quota.
function explained(plan: Plan, arm: ArmPlan, index: number): Any {
  const usual = (plan.arms[0]!.p99 ?? 8) / 3;
  const more = (arm.p99 ?? 8) / 3 - usual;
  const spent = (name: string, ms: number, change: number) =>
    index ? { name, ms, change_ms: change, interval_ms: [change - 0.12, change + 0.12], rounds: plan.rounds } : { name, ms, change_ms: null, interval_ms: null, rounds: 0 };
  const same = ([['on a CPU', 0.46], ['row locks', 0], ['reading pages', 0.03], ['commit and log', 0.17], ['rest in the server', 0.06], ['network and client', 0.2]] as const).map(([name, share]) => spent(name, share * usual, 0.01 * index));
  const held = [spent('throttled', 0.3 * more, 0.3 * more), spent('waiting for a CPU', 0.08 * usual + 0.7 * more, 0.7 * more)];
  return { arm: arm.name, threads: plan.threads ?? 16, budget: [spent('a transaction', usual + more, more), ...same, ...held], findings: more > 0 ? [quota(arm)] : [] };
}

const quota = (arm: ArmPlan): Any => ({
  rule: 'C-CPU-01', title: 'The CPU quota throttles the server', state: 'present', says: `${arm.name} was throttled`, write: '', change: '', counters: ['cgroup.cpu.throttled', 'not.read'], share: null,
});

function armDoc(plan: Plan, arm: ArmPlan, index: number, trials: Any[]): Any {
  const mine = trials.filter((t) => t['arm'] === arm.name && t['throughput'] !== null);
  const mean = mine.length ? mine.reduce((s, t) => s + (t['throughput'] as number), 0) / mine.length : null;
  const states = arm.other ? [{ level: arm.tps, share: 0.55 }, { level: arm.other, share: 0.45 }] : [];
  const latency = { percentiles: { 50: (arm.p99 ?? 8) / 3, 95: (arm.p99 ?? 8) * 0.7, 99: arm.p99 ?? 8 }, histogram: plan.histogram === false ? null : histogram(arm, index) };
  return { name: arm.name, baseline: index === 0, threads: plan.threads ?? 16, throughput_mean: mean, states, latency_ms: latency };
}

// Log-normal with a heavier tail, on sysbench's lattice of 1,024 buckets.
function histogram(arm: ArmPlan, index: number): Any {
  const next = random(index + 1);
  const counts = new Map<number, number>();
  for (let i = 0; i < 60000; i++) {
    const tail = next() < 0.004 ? 4 + 6 * next() : 1;
    const ms = ((arm.p99 ?? 8) / 3) * Math.exp(0.42 * normal(next)) * tail;
    const bucket = Math.round(Math.log(ms * 1e6) / Math.log(1.0182));
    counts.set(bucket, (counts.get(bucket) ?? 0) + 1);
  }
  const sorted = [...counts].sort((a, b) => a[0] - b[0]);
  return { scheme: 'sysbench-1024', counts: sorted.map(([b, n]) => [Math.round(1.0182 ** b), n]) };
}

function contrast(plan: Plan, base: ArmPlan, arm: ArmPlan, trials: Any[]): Any {
  const of = (name: string, round: number) => trials.find((t) => t['arm'] === name && t['round'] === round)?.['throughput'] as number | null;
  const pairs = Array.from({ length: plan.rounds }, (_, i) => i + 1).flatMap((round) => {
    const [b, a] = [of(base.name, round), of(arm.name, round)];
    return b == null || a == null ? [] : [{ round, baseline: b, arm: a, effect_percent: 100 * (a / b - 1) }];
  });
  const effect = pairs.length ? pairs.reduce((s, p) => s + p.effect_percent, 0) / pairs.length : null;
  const half = arm.halfWidth ?? 0.6;
  const known = effect !== null && plan.rounds > 1;
  const verdict = arm.verdict ?? (known ? 'costs' : 'inconclusive');
  return {
    arm: arm.name,
    baseline: base.name,
    metric: 'throughput',
    threads: plan.threads ?? 16,
    effect_percent: effect,
    interval: known ? [effect - half, effect + half] : null,
    interval90: known ? [effect - half * 0.82, effect + half * 0.82] : null,
    rounds: pairs.length,
    verdict,
    reason: verdict === 'inconclusive' && !known ? 'one run per arm is no basis for an interval' : '',
    exploratory: plan.rounds < 6,
    pairs,
  };
}

/** session is the document with its trials as they ran, the second one disturbed by what `gate` names. */
function session(doc: Any, gate: string): Any {
  const attempts = (doc['trials'] as Any[]).map(({ trial, round, slot, arm, threads, outcome }, i) => {
    const started = new Date(Date.UTC(2026, 10, 20, 9, i)).toISOString();
    return { trial, round, slot, arm, threads, outcome, started, took_s: 58.5, set_aside: round === 1, gates: i === 1 ? ['steal', gate] : [] };
  });
  return { ...doc, attempts };
}

/** HOSTILE is a name as a cluster could serve it. */
export const HOSTILE = '</script><img src=x onerror=1>{a|b}<!--\u202egnp.exe';

/** law is throughput by threads after Gunther; the quota arm stops growing at its cap instead. */
const law = (lambda: number, sigma: number, kappa: number, n: number) => (lambda * n) / (1 + sigma * (n - 1) + kappa * n * (n - 1));

/** scaling is one run at six levels of the load. */
function scaling(): Any {
  const levels = [1, 4, 8, 16, 32, 64];
  const parts = levels.map((threads) => {
    const bare = law(520, 0.03, 0.0002, threads);
    const arms = [
      { name: 'bare', tps: bare, p99: 2 + threads / 4 },
      { name: 'pod', tps: law(500, 0.045, 0.0004, threads), p99: 2.4 + threads / 3, halfWidth: 0.9 },
      { name: 'quota', tps: Math.min(0.97 * bare, 3400), p99: 2.2 + threads / 2, halfWidth: 0.7 },
    ];
    return make({ name: 'scaling', rounds: 6, warmup: 2, seconds: 8, arms, threads, histogram: false });
  });
  const all = (key: string) => parts.flatMap((p) => p[key] as Any[]);
  return {
    ...parts[0],
    arms: all('arms'),
    contrasts: all('contrasts'),
    trials: all('trials').map((t, i) => ({ ...t, trial: i + 1 })),
    scalings: [
      { arm: 'bare', levels, rounds: 6, lambda: 520, sigma: 0.03, kappa: 0.0002, peak_threads: null, misfit: false, worst_threads: 8, worst_percent: 0.5 },
      { arm: 'pod', levels, rounds: 6, lambda: 500, sigma: 0.045, kappa: 0.0004, peak_threads: 48.9, misfit: false, worst_threads: 8, worst_percent: 0.5 },
      { arm: 'quota', levels, rounds: 6, lambda: 560, sigma: 0.08, kappa: 0.0001, peak_threads: null, misfit: true, worst_threads: 32, worst_percent: 14 },
    ],
  };
}

/** plugins is the question of networks: six in one order, and one that is fast alone. */
function plugins(): Any {
  const gbps: Record<string, number> = { host: 9.8, ptp: 9.1, routed: 8.2, bridge: 7, ipip: 6.1, vxlan: 5, '{userspace}': 9.9 };
  const arms = Object.keys(gbps).map((name, i) => ({ name, tps: name === '{userspace}' ? 700 : 1000 - 36 * i }));
  const doc = make({ name: 'plugins', rounds: 6, warmup: 1, seconds: 6, arms, histogram: false });
  const one = (factor: string, telling: boolean, values: Record<string, number>, more: Any) => ({
    factor, declared: false, threads: 16, arms: arms.length, rho: -1, p: 0.0004, family_p: 0.012, screened: 2, worst_p: 0.003, outlier: '', rho_without_outlier: null, p_without_outlier: null,
    slope_percent: 1, slope_range: [0.5, 2], sentence: `${factor} and throughput.`, telling, values, ...more,
  });
  const per = (by: number) => Object.fromEntries(arms.map((a, i) => [a.name, by ** i / 1000]));
  return {
    ...doc,
    correlations: [
      one('cgroup.pod.cpu.stat.throttled_time per transaction', true, per(3), {}),
      one('network_gbps', true, gbps, { declared: true, rho: 0.25, p: 0.6, family_p: 0.9, worst_p: 0.9, outlier: '{userspace}', rho_without_outlier: 1, p_without_outlier: 0.003 }),
      one('of no consequence', false, per(2), { rho: 0.1, family_p: 1 }),
    ],
  };
}

/** outages is two arms whose servers are killed: three rounds each, one of which is not served again. */
function outages(): Any {
  const doc = make({ name: 'outages', rounds: 6, warmup: 2, seconds: 20, arms: [{ name: 'process', tps: 200 }, { name: 'replicated', tps: 198 }], histogram: false });
  const next = random(53);
  const event = (arm: string, member: string, parts: [string, number][], rounds: number) => {
    const trials = Array.from({ length: rounds }, (_, k) => {
      let at = 0;
      const mine = parts.map(([name, length]) => {
        const from = at;
        at += length * (1 + 0.06 * normal(next));
        return { name, from_s: from, to_s: at };
      });
      const lost = arm === 'replicated' && k === rounds - 1;
      const tps = Array.from({ length: 110 }, (_, i) => {
        const s = -2 + i * 0.1;
        if (s >= -0.01 && (lost || s < at - 0.05)) return 0;
        return s >= 0 && s < at + 0.4 ? 1500 : Math.max(0, 200 + 40 * normal(next));
      });
      return { round: k + 1, trial: k + 1, tps, parts: lost ? [] : mine };
    });
    const of = (mean: number) => ({ mean, interval: [0.9 * mean, 1.1 * mean], trials: rounds });
    const without = parts.reduce((sum, [, length]) => sum + length, 0);
    return {
      arm, threads: 16, number: 1, kind: 'kill', member, at_s: 10, for_s: 0, trials: rounds, throughput_lost_percent: of(0), without_service_s: of(without), promoted_after_s: of(0), primaries: [],
      failed: '', failover_failed: 0, failover_failed_why: '', unserved: 0, unserved_at_least_s: 0,
      figures: [{ name: 'without_service_s', ...of(without), against: null }], parts: parts.map(([name, length]) => ({ name, ...of(length) })), timeline: { from_s: -2, step_s: 0.1, trials },
    };
  };
  return {
    ...doc,
    events: [
      event('process', 'server', [['shutdown', 0.02], ['start', 0.7], ['routing', 3], ['reconnect', 1], ['first', 0.1]], 6),
      event('replicated', 'primary', [['detection', 5], ['failover', 0.3], ['unknown', 0.2], ['first', 0.2]], 6),
    ],
  };
}

export const documents: Record<string, Any> = {
  outages: outages(),
  plugins: plugins(),
  scaling: scaling(),
  demo: make({
    name: 'demo',
    rounds: 8,
    warmup: 6,
    seconds: 24,
    arms: [
      { name: 'bare', tps: 4812 },
      { name: 'besteffort', tps: 2650, other: 3400, noise: 0.05, p99: 31, halfWidth: 3.1 },
      { name: 'guaranteed', tps: 4675, p99: 9.3, halfWidth: 0.9, changes: 17 },
    ],
  }),
  imported: make({
    name: 'imported',
    rounds: 1,
    warmup: 0,
    seconds: 12,
    histogram: false,
    arms: [
      { name: 'bare-metal', tps: 22128 },
      { name: 'besteffort', tps: 10600, other: 20000, p99: 13 },
      { name: 'guaranteed', tps: 19389, p99: 9 },
    ],
  }),
  states: make({
    name: 'states',
    rounds: 10,
    warmup: 5,
    seconds: 20,
    margin: 2,
    arms: [
      { name: 'bare', tps: 1000 },
      { name: 'quota', tps: 902, verdict: 'costs' },
      { name: 'hugepages', tps: 1061, verdict: 'gains', halfWidth: 1.2 },
      { name: 'seccomp', tps: 992, verdict: 'within-margin', halfWidth: 0.5 },
      { name: 'overlayfs', tps: 1001, verdict: 'equivalent', halfWidth: 0.9 },
      { name: 'service', tps: 985, verdict: 'inconclusive', halfWidth: 60 },
      { name: 'undeclared', tps: 700, verdict: 'invalid' },
      { name: 'starving', tps: 400, verdict: 'not-measured', outcomes: { 1: 'not-ready', 2: 'starved', 3: 'not-ready', 4: 'failed', 5: 'not-ready', 6: 'starved', 7: 'not-ready', 8: 'not-ready', 9: 'starved', 10: 'not-ready' } },
    ],
  }),
  hostile: session(make({
    name: 'hostile',
    rounds: 3,
    warmup: 2,
    seconds: 8,
    arms: [
      { name: 'bare', tps: 500 },
      { name: HOSTILE, tps: 430, verdict: '<img src=x onerror=2>' },
      { name: `{rich|text} ${'long'.repeat(60)}`, tps: 480, verdict: 'costs' },
    ],
  }), HOSTILE),
  wide: make({
    name: 'wide',
    rounds: 14,
    warmup: 20,
    seconds: 120,
    arms: ['bare', 'burstable', 'guaranteed', 'overlay', 'service', 'besteffort'].map((name, i) => ({ name, tps: 5200 - 310 * i, p99: 6 + 2 * i })),
  }),
  crowd: make({
    name: 'crowd',
    rounds: 2,
    warmup: 2,
    seconds: 10,
    arms: Array.from({ length: 20 }, (_, i) => ({ name: `arm-${String(i).padStart(2, '0')}`, tps: 5200 - 90 * i, p99: 6 + i })),
  }),
  empty: { schema: 'tare.result/v1', run: {}, arms: [], contrasts: [], trials: [] },
};
