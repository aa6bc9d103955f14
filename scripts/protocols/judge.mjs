// Compares runs by slices with runs by windows, by tare's own results: judge.mjs OUT. Exit
// code 1 when the protocols disagree, or when no lead-in makes no difference.
import { readFileSync, readdirSync } from 'node:fs'
import { estimate, variance, welch } from '../student.mjs'

const out = process.argv[2]
const widest = 0.1 // largest difference of protocols that agree, in log-points
const files = readdirSync(out).filter((f) => /-(slices|windows)-\d+\.json$|no-lead-in\.json$/.test(f))
const read = (f) => JSON.parse(readFileSync(`${out}/${f}`))

const mean = (x) => x.reduce((a, b) => a + b, 0) / x.length
const percent = (log) => (100 * (Math.exp(log) - 1)).toFixed(1)

// log-ratios of rounds, by arm and protocol; seconds that a round and an arm took.
const ratios = {}
const seconds = { slices: [], windows: [] }
const control = {}
for (const f of files) {
  const r = read(f)
  const kind = /no-lead-in/.test(f) ? 'control' : r.protocol.kind
  for (const c of r.contrasts) {
    const logs = c.pairs.map((p) => Math.log(p.arm / p.baseline))
    if (kind === 'control') control[c.arm] = logs
    else ((ratios[c.arm] ??= { slices: [], windows: [] })[kind]).push(...logs)
  }
  if (kind !== 'control') {
    const took = (new Date(r.run.finished) - new Date(r.run.started)) / 1000
    seconds[kind].push(took / r.run.rounds_complete / r.arms.length)
  }
}

let good = true
const spread = { slices: [], windows: [] }
for (const [arm, x] of Object.entries(ratios)) {
  if (x.slices.length < 2 || x.windows.length < 2) {
    console.log(`${arm}: not measured by both`)
    continue
  }
  const line = ['slices', 'windows'].map((k) => {
    const e = estimate(x[k])
    spread[k].push({ v: variance(x[k]), df: x[k].length - 1 })
    return `${k} ${percent(e.mean)} % [${percent(e.lo)}, ${percent(e.hi)}], SD of a round ${(100 * Math.sqrt(variance(x[k]))).toFixed(1)} %`
  })
  const d = welch(x.slices, x.windows)
  // To agree is to differ by less than a tenth with 95 %; an interval that holds 0 is no agreement.
  const agrees = d.lo >= -widest && d.hi <= widest
  good &&= agrees
  console.log(`${arm}: ${line.join('; ')}; difference ${percent(d.mean)} % [${percent(d.lo)}, ${percent(d.hi)}] ${agrees ? 'agree within 10 %' : 'NOT SHOWN TO AGREE within 10 %'}`)
}

if (control.quota && ratios.quota) {
  const off = 100 * (Math.exp(mean(control.quota)) - Math.exp(mean(ratios.quota.slices)))
  console.log(`quota without a lead-in: ${percent(mean(control.quota))} %, ${off.toFixed(1)} points off; more than 10 expected`)
  good &&= Math.abs(off) > 10
}

// Machine time for ±1 %: rounds grow with the variance. The quantiles of F by simulation.
const pooled = (list) => list.reduce((a, s) => ({ v: a.v + s.v * s.df, df: a.df + s.df }), { v: 0, df: 0 })
const [s, w] = [pooled(spread.slices), pooled(spread.windows)]
if (s.df > 0 && w.df > 0) {
  const ratio = ((w.v / w.df) * mean(seconds.windows)) / ((s.v / s.df) * mean(seconds.slices))
  const [lo, hi] = fQuantiles(s.df, w.df)
  console.log(`machine time to ±1 %, windows by slices: ${ratio.toFixed(1)} [${(ratio * lo).toFixed(1)}, ${(ratio * hi).toFixed(1)}] (${s.df} and ${w.df} degrees of freedom; ${mean(seconds.slices).toFixed(1)} s and ${mean(seconds.windows).toFixed(1)} s an arm and round)`)
}
process.exitCode = good ? 0 : 1

/** The 2.5 and 97.5 % quantiles of F(n, m), from 20,000 seeded draws of chi squares. */
function fQuantiles(n, m) {
  let seed = 12345
  const uniform = () => ((seed = (seed * 1103515245 + 12345) % 2147483648) + 0.5) / 2147483648
  const normal = () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform())
  const chi = (df) => {
    let sum = 0
    for (let i = 0; i < df; i++) sum += normal() ** 2
    return sum / df
  }
  const draws = Array.from({ length: 20000 }, () => chi(n) / chi(m)).sort((a, b) => a - b)
  return [draws[500], draws[19499]]
}
