// Compares runs of scripts/slices.sh by tare's own results: judge.mjs lengths|freezing OUT. Exit
// code 1 when runs that must agree do not.
import { readFileSync } from 'node:fs'
import { estimate, welch } from '../student.mjs'

const [what, out] = process.argv.slice(2)
const of = {
  lengths: { reference: '200ms', others: ['100ms', '500ms', '1s'], agree: ['100ms', '500ms', '1s'] },
  freezing: { reference: 'slices', others: ['idle', 'windows'], agree: ['windows'] },
}[what]
const widest = 0.1 // largest difference of runs that agree, in log-points
const percent = (log) => (100 * (Math.exp(log) - 1)).toFixed(1)
const show = (e) => `${percent(e.mean)} % [${percent(e.lo)}, ${percent(e.hi)}]`

/** The log-ratios of each arm's rounds, and the log-throughputs of the baseline's. */
function logs(name) {
  const r = JSON.parse(readFileSync(`${out}/${what}-${name}.json`))
  const arms = Object.fromEntries(r.contrasts.map((c) => [c.arm, c.pairs.map((p) => Math.log(p.arm / p.baseline))]))
  return { arms, baseline: r.contrasts[0].pairs.map((p) => Math.log(p.baseline)) }
}

const reference = logs(of.reference)
const runs = of.others.map((name) => ({ name, ...logs(name) }))
const arms = Object.keys(reference.arms)
const several = arms.length * of.agree.length // the intervals of these differences hold together
let good = true
for (const arm of arms) {
  console.log(`${arm}: ${of.reference} ${show(estimate(reference.arms[arm]))}, ${reference.arms[arm].length} rounds`)
  for (const run of runs) {
    const must = of.agree.includes(run.name)
    const d = welch(run.arms[arm], reference.arms[arm], must ? several : 1)
    // To agree is to differ by less than the bound with 95 %; an interval that holds 0 is no agreement.
    const agrees = d.lo >= -widest && d.hi <= widest
    const verdict = agrees ? 'agrees within 10 %' : d.lo > 0 || d.hi < 0 ? 'DISAGREES' : 'NOT SHOWN TO AGREE within 10 %'
    if (must) good &&= agrees
    console.log(`  ${run.name} ${show(estimate(run.arms[arm]))}; compared with ${of.reference} ${show(d)}${must ? `, ${verdict}` : ''}`)
  }
}
console.log(`transactions/s of the baseline, geometric mean: ${[{ name: of.reference, ...reference }, ...runs]
  .map((r) => `${r.name} ${Math.exp(estimate(r.baseline).mean).toFixed(0)}`).join(', ')}`)
process.exitCode = good ? 0 : 1
