// The pages of `tare serve` beside the reports (internal/serve/page): search while typing,
// the choice of two runs, and the stream of a run under way; the switches of the report,
// whose choices go along to the next page. Without any of this the forms still work, the
// pages come in the browser's language, and the live page loads itself again.

import { Languages } from './languages';
import { print, Store } from './store';
import css from './style.css?inline';
import { Theme, themeSwitch } from './theme';
import { count, readWords, say, worded, type Word } from './words';

/** What the server sends of a run under way (internal/serve/live.go, liveState). */
interface State {
  rounds_planned: number;
  rounds_done: number;
  trials_planned: number;
  trials_done: number;
  grid: { label: string; cells: string[] }[];
  now: { round: number; arm: string; threads: number; phase: string; tps: number[]; latency_ms: number; percentile: number } | null;
  changed: string;
}

// A search looks at the rows in the language that they are shown in.
function search(input: HTMLInputElement): void {
  const rows = [...document.querySelectorAll<HTMLTableRowElement>('.runs tbody tr')];
  const heading = document.getElementById('h-runs')!;
  const all = Number(input.dataset['search']);
  let typed = false;
  const show = () => {
    if (!typed) return;
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of rows) {
      const text = (row.textContent ?? '').toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
    }
    const shown = rows.filter((row) => !row.hidden).length;
    heading.textContent = words.length || rows.length < all ? say('runs.found', { n: shown, runs: count(all, 'run') }) : count(all, 'run');
  };
  input.addEventListener('input', () => {
    typed = true;
    show();
  });
  worded(show);
}

function compare(form: HTMLFormElement): void {
  const picked = form.querySelector<HTMLElement>('[data-picked]')!;
  const button = form.querySelector('button')!;
  worded(update);
  form.addEventListener('change', update);
  function update(): void {
    // The latest run is the first row, and the earlier of two is what the other is compared with.
    const [arm, base, ...more] = new FormData(form).getAll('run').map(String);
    button.disabled = !arm || !base || more.length > 0;
    picked.textContent = arm && base && !more.length ? say('against', { arm, base }) : say('runs.pick');
  }
}

/** marks of a trial's state (internal/serve/list.go has the same); any other is the arm's doing. */
const marks: Record<string, [string, Word]> = {
  '': ['·', 'live.to-come'],
  now: ['▶', 'live.under-way'],
  measured: ['■', 'outcome.measured'],
  failed: ['✕', 'outcome.failed'],
  'not-ready': ['▽', 'outcome.not-ready'],
  starved: ['▽', 'outcome.starved'],
  'server-lost': ['‡', 'outcome.server-lost'],
};

const phases: Record<string, Word> = {
  sentinel: 'phase.sentinel',
  'copy data': 'phase.copy data',
  'start server': 'phase.start server',
  'join members': 'phase.join members',
  'make data': 'phase.make data',
  'refill data': 'phase.refill data',
  'wait for the first answer': 'phase.wait for the first answer',
  'warm up and measure': 'phase.warm up and measure',
  'warm up': 'phase.warm up',
  measure: 'phase.measure',
  'search for the capacity': 'phase.search for the capacity',
  'measure at the fixed rate': 'phase.measure at the fixed rate',
  overload: 'phase.overload',
  'verify the data': 'phase.verify the data',
  'check the ledger': 'phase.check the ledger',
};

class Live {
  readonly #section: HTMLElement;
  #state: State | null = null;
  #changed: number;

  constructor(section: HTMLElement) {
    this.#section = section;
    this.#changed = Number(this.#field('age').dataset['changed']);
    worded(() => this.#show());
    setInterval(() => this.#age(), 1000);
    this.#follow(new EventSource(section.dataset['live']!));
  }

  #field(name: string): HTMLElement {
    return this.#section.querySelector<HTMLElement>(`[data-field=${name}]`)!;
  }

  #follow(stream: EventSource): void {
    const link = this.#field('link');
    stream.addEventListener('open', () => (link.textContent = ''));
    stream.addEventListener('error', () => (link.textContent = say('live.lost')));
    stream.addEventListener('state', (e) => {
      this.#state = JSON.parse(e.data as string) as State;
      this.#changed = Date.parse(this.#state.changed);
      this.#show();
    });
    stream.addEventListener('finished', () => {
      stream.close();
      location.replace(`./${location.hash}`);
    });
    stream.addEventListener('gone', (e) => {
      stream.close();
      link.textContent = say('live.gone', { why: JSON.parse(e.data as string) as string });
    });
  }

  #show(): void {
    this.#age();
    const s = this.#state;
    if (s) this.#fields(s);
    const rows = [...this.#section.querySelectorAll<HTMLTableRowElement>('.grid tbody tr')];
    // The plan has grown.
    if (s && (rows.length !== s.grid.length || rows[0]?.cells.length !== (s.grid[0]?.cells.length ?? 0) + 1)) return location.reload();
    rows.forEach((row, i) => [...row.cells].slice(1).forEach((cell, k) => fill(cell, s?.grid[i]?.cells[k] ?? cell.dataset['state'] ?? '')));
  }

  #fields(s: State): void {
    this.#field('sealed').textContent = say('live.sealed', { n: s.rounds_done, rounds: s.rounds_planned, trials: s.trials_done, of: s.trials_planned });
    const { now } = s;
    const phase = now && phases[now.phase];
    this.#field('now').textContent = now ? current(now, phase ? say(phase) : now.phase) : say('live.idle');
    this.#field('rate').textContent = now ? rate(now) : '';
    const tps = now?.tps ?? [];
    const top = Math.max(...tps, 1);
    this.#section.querySelector('[data-spark]')!.setAttribute('points', tps.map((v, i) => `${120 - tps.length + i + 1},${31 - (30 * v) / top}`).join(' '));
  }

  #age(): void {
    const seconds = Math.max(0, Math.round((Date.now() - this.#changed) / 1000));
    this.#field('age').textContent = seconds < 120 ? say('live.seconds-ago', { n: seconds }) : say('live.minutes-ago', { n: Math.round(seconds / 60) });
  }
}

/** current is the trial under way, or the round of arms that take turns, of which no rate is shown: one beside another would show the effect. */
function current({ round, threads, arm }: NonNullable<State['now']>, phase: string): string {
  return arm ? say('live.now', { n: round, threads, arm, phase }) : say('live.turns', { n: round, phase });
}

function rate({ tps, percentile, latency_ms }: NonNullable<State['now']>): string {
  const last = tps.at(-1);
  if (last === undefined) return '';
  const x = Math.round(last).toLocaleString('en');
  return percentile ? say('live.rate-latency', { x, p: percentile, ms: latency_ms.toFixed(2) }) : say('live.rate', { x });
}

function fill(cell: HTMLTableCellElement, state: string): void {
  const [glyph, word] = marks[state] ?? (['▽', null] as const);
  const [mark, name] = cell.querySelectorAll('span');
  cell.dataset['state'] = state;
  cell.title = word ? say(word) : state.replaceAll('-', ' ');
  mark!.textContent = glyph;
  name!.textContent = cell.title;
}

/** Links and forms take the choices along: the next page opens in the same language. */
function takeAlong(store: Store): void {
  const show = () => {
    const hash = print('', store.choices);
    for (const a of document.querySelectorAll<HTMLAnchorElement | SVGAElement>('a')) a.setAttribute('href', a.getAttribute('href')!.replace(/#.*$/, '') + hash);
    for (const form of document.querySelectorAll('form')) form.action = form.getAttribute('action')!.replace(/#.*$/, '') + hash;
  };
  store.listen(show);
  show();
}

function start(): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  const store = new Store();
  new Theme(store);
  const words = readWords(document);
  const controls = document.querySelector('[data-controls]');
  const languages = words && new Languages(words, store);
  if (languages && words.languages.length > 1) controls?.append(languages.choice());
  controls?.append(themeSwitch(store));
  takeAlong(store);
  const found = <T extends HTMLElement>(selector: string, begin: (e: T) => void) => {
    const e = document.querySelector<T>(selector);
    if (e) begin(e);
  };
  found('[data-search]', search);
  found('[data-compare]', compare);
  found('[data-live]', (section) => new Live(section));
}

start();
