// Search while typing, the choice of two runs, and the stream of a run under way.
// Without scripts the forms still work, and the live page loads itself anew.
'use strict';

const dark = matchMedia('(prefers-color-scheme: dark)');
const paint = () => { document.documentElement.dataset.theme = dark.matches ? 'dark' : 'light'; };
dark.addEventListener('change', paint);
paint();

function search(input) {
  const rows = [...document.querySelectorAll('.runs tbody tr')];
  const texts = rows.map((row) => row.textContent.toLowerCase());
  const heading = document.getElementById('h-runs');
  input.addEventListener('input', () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    rows.forEach((row, i) => {
      row.hidden = !words.every((word) => texts[i].includes(word));
      shown += row.hidden ? 0 : 1;
    });
    heading.textContent = words.length ? `${shown} of ${rows.length} runs` : `${rows.length} runs`;
  });
}

function compare(form) {
  const say = form.querySelector('[data-picked]');
  const button = form.querySelector('button');
  const update = () => {
    const [before, after] = ['before', 'after'].map((name) => form.elements[name] && new FormData(form).get(name));
    button.disabled = !before || !after;
    say.textContent = before && after ? `${after} against ${before}` : 'Choose a run before and one after.';
  };
  form.addEventListener('change', update);
  update();
}

const marks = { '': ['·', 'to come'], now: ['▶', 'now'], measured: ['■', 'measured'], failed: ['✕', 'failed'] };

function live(section) {
  const field = (name) => section.querySelector(`[data-field=${name}]`);
  const age = field('age');
  const link = field('link');
  const show = (s) => {
    field('sealed').textContent = `${s.rounds_done} of ${s.rounds_planned} rounds done, ${s.trials_done} of ${s.trials_planned} trials. Looking at effects early would bias the result.`;
    field('now').textContent = s.now ? `Round ${s.now.round}, ${s.now.threads} threads: ${s.now.arm}, ${s.now.phase}` : 'No trial is under way.';
    const tps = s.now ? s.now.tps : [];
    const last = tps.at(-1);
    field('rate').textContent = last === undefined ? ''
      : `${Math.round(last).toLocaleString('en')} transactions/s${s.now.percentile ? `, p${s.now.percentile} ${s.now.latency_ms.toFixed(2)} ms` : ''}`;
    const top = Math.max(...tps, 1);
    section.querySelector('[data-spark]').setAttribute('points', tps.map((v, i) => `${120 - tps.length + i + 1},${31 - 30 * v / top}`).join(' '));
    age.dataset.changed = Date.parse(s.changed);
    const rows = section.querySelectorAll('.grid tbody tr');
    if (rows.length !== s.grid.length || rows[0].cells.length !== s.grid[0].cells.length + 1) location.reload(); // the plan has grown
    s.grid.forEach((row, i) => row.cells.forEach((state, k) => {
      const cell = rows[i].cells[k + 1];
      [cell.textContent, cell.title] = marks[state] ?? ['▽', state.replaceAll('-', ' ')];
    }));
    tick();
  };
  const tick = () => {
    const seconds = Math.max(0, Math.round((Date.now() - Number(age.dataset.changed)) / 1000));
    age.textContent = `Last sign of life: ${seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`} ago.`;
  };
  setInterval(tick, 1000);
  const stream = new EventSource(section.dataset.live);
  stream.addEventListener('open', () => { link.textContent = ''; });
  stream.addEventListener('error', () => { link.textContent = 'The connection is lost; trying again.'; });
  stream.addEventListener('state', (e) => show(JSON.parse(e.data)));
  stream.addEventListener('finished', () => { stream.close(); location.replace('./'); });
  stream.addEventListener('gone', (e) => { stream.close(); link.textContent = `The run cannot be read any more: ${JSON.parse(e.data)}`; });
}

for (const [selector, start] of [['[data-search]', search], ['[data-compare]', compare], ['[data-live]', live]]) {
  const found = document.querySelector(selector);
  if (found) start(found);
}
