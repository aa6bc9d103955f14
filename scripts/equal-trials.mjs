// The equal trials of finished A/A runs as one small table, for the calibration tests
// that are run on real series (internal/stats/testdata/equal-trials.csv):
//
//   node scripts/equal-trials.mjs RUN... >internal/stats/testdata/equal-trials.csv
//
// A RUN is a directory that scripts/campaigns.sh made: two arms that are the same. A
// line is a trial, in the order in which they were measured.
import { readdirSync, readFileSync } from 'node:fs';

const lines = (run, trial) => readFileSync(`${run}/trials/${trial}/stream.jsonl`, 'utf8').trim().split('\n').map((l) => JSON.parse(l));
const fact = (all, key) => all.find((l) => l.fact?.key === key)?.fact.value ?? 'unknown';

function row(campaign, all) {
  const { header } = all[0];
  const { window } = all.find((l) => l.window);
  const seconds = all.filter((l) => l.interval && !l.interval.warmup).map((l) => l.interval.tps);
  const tps = (window.counts.transactions / window.seconds).toFixed(2);
  return { at: header.started, text: [campaign, header.trial, header.round, header.arm, header.started, tps, seconds.join(' ')].join(',') };
}

const runs = process.argv.slice(2);
if (runs.length === 0) {
  console.error('usage: node scripts/equal-trials.mjs RUN...');
  process.exit(2);
}
const rows = [];
let first;
for (const [i, run] of runs.entries()) {
  for (const trial of readdirSync(`${run}/trials`).sort()) {
    const all = lines(run, trial);
    if (all.at(-1).end?.outcome !== 'measured') throw new Error(`${run}/trials/${trial} was not measured`);
    first ??= all;
    rows.push(row(i + 1, all));
  }
}
rows.sort((a, b) => (a.at < b.at ? -1 : 1));
console.log(`# Equal trials of a real MySQL ${fact(first, 'mysql.variable.version')} on ${fact(first, 'host.cpu.model')}, ${fact(first, 'host.cpu.count')} CPUs, ${first[0].header.engine} with ${first[0].header.threads} threads:`);
console.log(`# ${rows.length} trials of ${runs.length} campaigns of scripts/campaigns.sh, by scripts/equal-trials.mjs. tps and seconds are transactions/s.`);
console.log('campaign,trial,round,arm,started,tps,seconds');
for (const { text } of rows) console.log(text);
