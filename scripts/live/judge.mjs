// Says which faults `tare explain --live` named, and what it named falsely: judge.mjs
// OUT, with NAME.want (the fault and its rule) and NAME.json of live-faults.sh. Exit code 1
// if a fault is not named or a cause is named falsely.
import { existsSync, readFileSync, readdirSync } from 'node:fs'

const out = process.argv[2]
const present = (name) =>
  JSON.parse(readFileSync(`${out}/${name}.json`)).causes.filter((c) => c.state === 'present')

// What the machine adds by itself, by the kernel's own count: CPU steal.
const machine = new Set(['C-CPU-06'])

let failed = 0
const shares = []
console.log('| fault | rule | named | other causes present | evidence |')
console.log('|---|---|---|---|---|')
for (const file of readdirSync(out).filter((f) => f.endsWith('.want')).sort()) {
  const [name, rule] = readFileSync(`${out}/${file}`, 'utf8').trim().split(' ')
  if (!existsSync(`${out}/${name}.json`)) {
    failed++
    console.log(`| ${name} | ${rule} | not measured | | |`)
    continue
  }
  const all = JSON.parse(readFileSync(`${out}/${name}.json`))
  shares.push(all.server_time)
  const causes = present(name)
  const others = causes.map((c) => c.rule).filter((r) => r !== rule)
  const named = causes.some((c) => c.rule === rule)
  const said = all.causes.find((c) => c.rule === rule)
  const falsely = others.filter((r) => !machine.has(r))
  if (!named || falsely.length > 0) failed++
  console.log(`| ${name} | ${rule} | ${named ? 'yes' : `no (${said?.state})`} | ${others.join(', ')} | ${said?.evidence ?? ''} |`)
}

const healthy = readdirSync(out).filter((f) => /^well-\d+\.json$/.test(f))
const wrong = []
for (const file of healthy) {
  const name = file.replace('.json', '')
  shares.push(JSON.parse(readFileSync(`${out}/${file}`)).server_time)
  for (const c of present(name)) if (!machine.has(c.rule)) wrong.push(`${c.rule}: ${c.evidence}`)
}
console.log(`\nServers without a fault: ${healthy.length} spans, ${wrong.length} causes named falsely.`)
for (const w of wrong) console.log(`- ${w}`)
const known = shares.filter((s) => typeof s === 'number').map((s) => 100 * s)
if (known.length > 0)
  console.log(`The server worked on tare's queries for ${Math.min(...known).toFixed(2)} to ${Math.max(...known).toFixed(2)} % of the time.`)
process.exit(failed > 0 || wrong.length > 0 ? 1 : 0)
