// Judges the controls by what tare's own result says (tare report --format json), and by
// nothing else: judge.mjs dose|factors|cpus|wait|name RESULT. Exit code 1 when a control fails.
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

const does = {
  dose(result) {
    const s = estimate(slopes(result));
    for (const c of result.contrasts) console.log(`${c.arm}: ${c.effect_percent.toFixed(2)} [${c.interval?.map((v) => v.toFixed(2))}] %`);
    console.log(`slope ${s.mean.toFixed(4)} [${s.lo.toFixed(4)}, ${s.hi.toFixed(4)}], ${slopes(result).length} rounds; accepted 0.97 to 1.03`);
    return s.mean >= 0.97 && s.mean <= 1.03;
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
