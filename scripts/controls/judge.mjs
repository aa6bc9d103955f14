// Judges the controls by what tare's own result says (tare report --format json), and by
// nothing else: judge.mjs dose|factors|capacity|cpus|wait|name RESULT. Exit code 1 when a control fails.
import { readFileSync } from 'node:fs';
import { estimate } from '../student.mjs';

/**
 * Slope through the origin of the measured log-ratios on those that the doses must cause:
 * ln(R/(R+dose)) with R the time of a transaction in the same round.
 */
function slopes(result) {
  const rounds = new Map();
  for (const c of result.contrasts) {
    const dose = Number(c.arm.replace('dose-', '')) / 1e6;
    for (const p of c.pairs) {
      const sums = rounds.get(p.round) ?? { xy: 0, xx: 0 };
      const x = Math.log(1 / p.baseline / (1 / p.baseline + dose));
      sums.xy += x * Math.log(p.arm / p.baseline);
      sums.xx += x * x;
      rounds.set(p.round, sums);
    }
  }
  return [...rounds.values()].map((s) => s.xy / s.xx);
}

/** How many CPUs the server of an arm used: its time on a CPU a transaction, by the rate. */
function cpus(result, arm) {
  const { budget } = result.explained.find((e) => e.arm === arm.name);
  return (budget.find((b) => b.name === 'on a CPU').ms / 1000) * arm.throughput_mean;
}

/** Random numbers in (0, 1) from a seed (mulberry32). */
function random(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return (((t ^ (t >>> 14)) >>> 0) + 1) / 4294967297;
  };
}

/**
 * Whether one step of an M/D/c queue keeps the limit of p99: it begins empty, a fifth of its length is
 * not counted. With a constant service time the servers take turns, so the k-th transaction waits for
 * the one c before it (Kiefer & Wolfowitz, 1955).
 */
function kept(uniform, { rate, service, servers, limit, length }) {
  const free = new Array(servers).fill(0);
  let [now, n, over] = [0, 0, 0];
  for (let k = 0; ; k++) {
    now -= Math.log(uniform()) / rate;
    if (now > 1.2 * length) return over <= 0.01 * n;
    const end = Math.max(now, free[k % servers]) + service;
    free[k % servers] = end;
    if (now <= 0.2 * length) continue;
    n++;
    if (end - now > limit) over++;
  }
}

/** The rate at which half of the steps keep the limit, by bisection. */
function queueCapacity(queue) {
  let [lo, hi] = [0.5 * (queue.servers / queue.service), queue.servers / queue.service];
  for (let i = 0; i < 12; i++) {
    const rate = (lo + hi) / 2;
    const uniform = random(i);
    let n = 0;
    for (let s = 0; s < 1000; s++) n += kept(uniform, { ...queue, rate });
    if (n > 500) lo = rate;
    else hi = rate;
  }
  return (lo + hi) / 2;
}

const does = {
  dose(result) {
    const s = estimate(slopes(result));
    for (const c of result.contrasts) console.log(`${c.arm}: ${c.effect_percent.toFixed(2)} [${c.interval?.map((v) => v.toFixed(2))}] %`);
    console.log(`slope ${s.mean.toFixed(4)} [${s.lo.toFixed(4)}, ${s.hi.toFixed(4)}], ${slopes(result).length} rounds; accepted: an interval within 0.97 to 1.03`);
    return s.lo >= 0.97 && s.hi <= 1.03;
  },
  factors(result) {
    const [a] = result.attributions;
    for (const l of a.layers) console.log(`${l.layer}: ${l.points.toFixed(2)} [${l.interval.map((v) => v.toFixed(2)).join(', ')}] points`);
    const by = Object.fromEntries(a.layers.map((l) => [l.layer, l]));
    const covers = by.dummy.interval[0] <= 0 && by.dummy.interval[1] >= 0;
    const owns = by.quota.interval[1] < 0 && Math.abs(by.quota.points) > Math.abs(by.dummy.points);
    // A single connection's server that may use a quarter of a CPU does the share that this
    // is of what it used without: known from the arm without layers alone.
    const known = 100 * (0.25 / cpus(result, result.arms.find((arm) => arm.baseline)) - 1);
    const known_in = by.quota.interval[0] <= known && known <= by.quota.interval[1];
    console.log(`the dummy ${covers ? 'covers' : 'does NOT cover'} 0; the loss is ${owns ? '' : 'NOT '}attributed to the quota`);
    console.log(`arithmetic gives the quota ${known.toFixed(2)} points: ${known_in ? 'inside' : 'OUTSIDE'} its interval`);
    return covers && owns && known_in;
  },
  /** The service time is that of the trials' own closed loop: the sleep, and what a statement takes besides. */
  capacity(result) {
    const { limit_ms, step_s } = result.run.find;
    let all = true;
    for (const c of result.capacities) {
      const of = result.capacity_steps.filter((s) => s.arm === c.arm && s.purpose === 'closed').map((s) => s.completed);
      const service = (c.threads * of.length) / of.reduce((a, b) => a + b, 0);
      const known = queueCapacity({ service, servers: c.threads, limit: limit_ms / 1000, length: step_s });
      const inside = c.interval[0] <= known && known <= c.interval[1];
      all &&= inside;
      console.log(
        `${c.arm}: ${c.rate.toFixed(1)}/s [${c.interval.map((v) => v.toFixed(1)).join(', ')}]; a queue with a service time of ` +
          `${(1000 * service).toFixed(2)} ms has ${known.toFixed(1)}/s: ${inside ? 'inside' : 'OUTSIDE'}`,
      );
    }
    return all;
  },
  /** How many thousandths of a CPU the known arm's server used while it ran. */
  cpus(result) {
    console.log(Math.round(950 * cpus(result, result.arms.find((a) => a.baseline))));
    return true;
  },
  /** The microseconds that make a transaction of the known arm 5 % longer. */
  wait(result) {
    console.log(Math.round(5e4 / result.arms.find((a) => a.baseline).throughput_mean));
    return true;
  },
  /** What was done to the subject: a cost or none first; the kernel's count only tells causes apart. */
  name(result) {
    const [c] = result.contrasts;
    const throttled = result.arms.find((a) => a.name === c.arm).throttled?.share ?? 0;
    const costs = c.interval && c.interval[1] < 0;
    console.log(`${c.effect_percent.toFixed(2)} [${c.interval?.map((v) => v.toFixed(2))}] %`, !costs ? 'nothing' : throttled > 0.05 ? 'quota' : 'delay');
    return true;
  },
};

const [what, file] = process.argv.slice(2);
process.exit(does[what](JSON.parse(readFileSync(file, 'utf8'))) ? 0 : 1);
