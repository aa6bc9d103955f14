// What the reader has chosen, kept in the URL hash so that a link shows what the
// sender saw. Not in storage: that fails on file: pages, and a link carries none.

export type ThemeChoice = 'auto' | 'light' | 'dark';

export interface Choices {
  /** Tag of the language; "" for the page's own or the browser's. */
  lang: string;
  theme: ThemeChoice;
  /** Rounds shown under every interval. */
  rounds: boolean;
  /** Series: one panel per arm, or one strip per trial. */
  strips: boolean;
  /** Seconds of a trial that every chart of time shows; null shows all. */
  span: [number, number] | null;
  /** The metric of the probes that is drawn; "" for those that differ most. */
  metric: string;
  /** Arms (by index) that are switched off. */
  off: ReadonlySet<number>;
}

/** parse reads a hash such as "#costs&theme=dark&off=1,2"; unknown parts are ignored. */
export function parse(hash: string): { section: string; choices: Choices } {
  const [first = '', ...rest] = hash.replace(/^#/, '').split('&');
  const named = first.includes('=');
  const fields = new URLSearchParams((named ? [first, ...rest] : rest).join('&'));
  const theme = fields.get('theme');
  const off = (fields.get('off') ?? '').split(',').filter((s) => /^\d{1,4}$/.test(s));
  return {
    section: named ? '' : first,
    choices: {
      lang: /^[a-z]{2,3}$/.exec(fields.get('lang') ?? '')?.[0] ?? '',
      theme: theme === 'light' || theme === 'dark' ? theme : 'auto',
      rounds: fields.get('rounds') === '1',
      strips: fields.get('strips') === '1',
      span: spanOf(fields.get('span') ?? ''),
      metric: fields.get('metric') ?? '',
      off: new Set(off.map(Number)),
    },
  };
}

function spanOf(text: string): [number, number] | null {
  const [from, to, more] = text.split('-').map(Number);
  return from !== undefined && to !== undefined && more === undefined && to > from ? [from, to] : null;
}

/** print is parse turned round; defaults are left out, so a plain page has a plain link. */
export function print(section: string, c: Choices): string {
  const parts = [section].filter(Boolean);
  if (c.lang) parts.push(`lang=${c.lang}`);
  if (c.theme !== 'auto') parts.push(`theme=${c.theme}`);
  if (c.rounds) parts.push('rounds=1');
  if (c.strips) parts.push('strips=1');
  if (c.span) parts.push(`span=${c.span.map((s) => Number(s.toFixed(1))).join('-')}`);
  if (c.metric) parts.push(`metric=${encodeURIComponent(c.metric)}`);
  if (c.off.size) parts.push(`off=${[...c.off].sort((a, b) => a - b).join(',')}`);
  return parts.length ? `#${parts.join('&')}` : '';
}

/** Store holds the choices, writes them to the hash and tells who listens. */
export class Store {
  #section: string;
  #choices: Choices;
  #listeners: ((change: Partial<Choices>) => void)[] = [];

  constructor() {
    const { section, choices } = parse(location.hash);
    this.#section = section;
    this.#choices = choices;
    addEventListener('hashchange', () => this.#follow());
  }

  get choices(): Choices {
    return this.#choices;
  }

  get section(): string {
    return this.#section;
  }

  /** listen tells f what has changed; an empty change is one of the system's colours. */
  listen(f: (change: Partial<Choices>) => void): void {
    this.#listeners.push(f);
  }

  set(change: Partial<Choices>): void {
    this.#choices = { ...this.#choices, ...change };
    this.#write();
    for (const f of this.#listeners) f(change);
  }

  /** link is the address of a section as this reader sees it. */
  link(section: string): string {
    return location.href.replace(/#.*$/s, '') + print(section, this.#choices);
  }

  // A plain in-page link ("#costs") moves to a section and keeps the choices; a
  // pasted full link brings its own.
  #follow(): void {
    const { section, choices } = parse(location.hash);
    this.#section = section;
    if (location.hash.includes('=')) this.set(choices);
    else this.#write();
  }

  #write(): void {
    history.replaceState(null, '', print(this.#section, this.#choices) || location.pathname + location.search);
  }
}
