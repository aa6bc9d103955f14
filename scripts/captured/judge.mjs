// Compares what a quota costs by the built-in and by the captured workload, from tare's own
// results: judge.mjs OUT. Exit code 1 if the 95 % intervals do not overlap, or if nothing can be
// said: workloads that differ by more than a tenth in the statements of a transaction, fewer than three rounds of a workload, or an interval that contains 0, as on a machine
// so busy that no server gets half a CPU.
import { readFileSync, readdirSync } from 'node:fs'
import { estimate } from '../student.mjs'

const out = process.argv[2]
const percent = (log) => (100 * (Math.exp(log) - 1)).toFixed(1)

/** The cost over the rounds of all runs of one workload; null if there are too few. */
function cost(name, workload) {
  const results = readdirSync(out)
    .filter((f) => new RegExp(`^${name}-\\d+\\.json$`).test(f))
    .map((f) => JSON.parse(readFileSync(`${out}/${f}`)))
  const pairs = results.flatMap((r) => r.contrasts.find((c) => c.arm === 'quota')?.pairs ?? [])
  if (pairs.length < 3) {
    console.log(`${workload}: ${pairs.length} complete rounds are too few`)
    return null
  }
  const e = estimate(pairs.map((p) => Math.log(p.arm / p.baseline)))
  const base = pairs.reduce((sum, p) => sum + p.baseline, 0) / pairs.length
  console.log(`${workload}: ${base.toFixed(0)} transactions/s without the quota; the quota changes that by ${percent(e.mean)} % [${percent(e.lo)}, ${percent(e.hi)}], ${pairs.length} rounds`)
  return e
}

/** Statements of a transaction, over the arms of all runs of one workload. */
function statements(name) {
  const arms = readdirSync(out)
    .filter((f) => new RegExp(`^${name}-\\d+\\.json$`).test(f))
    .flatMap((f) => JSON.parse(readFileSync(`${out}/${f}`)).arms)
  return arms.reduce((sum, a) => sum + a.queries_mean / a.throughput_mean, 0) / arms.length
}

const [was, is] = [statements('builtin'), statements('captured')]
if (!(Math.abs(is - was) <= 0.1 * Math.max(is, was))) {
  console.log(`INVALID: the captured workload did other work than the built-in one: a transaction of it has ${is.toFixed(1)} statements, one of the built-in ${was.toFixed(1)}`)
  process.exit(1)
}

const [real, captured] = [cost('builtin', 'built-in workload'), cost('captured', 'captured workload')]
if (!real || !captured) process.exit(1)
if (Math.max(real.hi, captured.hi) >= 0) {
  console.log('an interval contains 0: the cost of the quota was not measured; repeat with more rounds on a quiet machine')
  process.exit(1)
}
const overlap = real.lo <= captured.hi && captured.lo <= real.hi
console.log(`the intervals ${overlap ? 'overlap' : 'do NOT overlap'}`)
process.exit(overlap ? 0 : 1)
