// The words of the page in the reader's language. Go has written every text in each
// language that tare speaks (internal/report/language, one file a language) into the
// page; here they are exchanged, and the charts take theirs from the same files.

import type english from '../../internal/report/language/en.json';

/** Word is a key of what charts and buttons say; a plural's forms follow a "#". */
export type Word = keyof (typeof english)['chart'];
type Counted<K extends string> = K extends `${infer W}#other` ? W : never;
/** Things that are counted: "round" of "round#one" and "round#other". */
export type Things = Counted<Word>;

export interface Language {
  tag: string;
  name: string;
  /** The page's texts, by the number in data-t and data-label. */
  texts: string[];
  chart: Record<string, string>;
  /** Texts of the document that charts show, by the document's own; without it they are as they stand. */
  quoted?: Record<string, string>;
}

export interface Words {
  languages: Language[];
  /** The language that the page is written in, and whether somebody asked for it. */
  now: string;
  fixed: boolean;
}

/** readWords finds the words that Go has left in the page. */
export function readWords(page: Document): Words | null {
  const text = page.getElementById('tare-words')?.textContent;
  return text ? (JSON.parse(text) as Words) : null;
}

/**
 * choose is the language to begin with: the link's, else the one asked for when the
 * page was written, else the first of the reader's own that the page speaks.
 */
export function choose(words: Words, link: string, own: readonly string[]): Language | undefined {
  const find = (tag: string) => words.languages.find((l) => l.tag === tag.toLowerCase().split('-')[0]);
  const wish = words.fixed ? [link] : [link, ...own];
  return wish.map(find).find((l) => l !== undefined) ?? find(words.now);
}

// One reader reads one language at a time: what is said now is the page's state, as
// its address is.
let spoken: Language = { tag: 'en', name: 'English', texts: [], chart: {} };
const shown: (() => void)[] = [];

/** setLanguage puts all that was said, and what will be, into a language. */
export function setLanguage(language: Language): void {
  spoken = language;
  for (const show of shown) show();
}

/** worded runs show now and whenever the language changes. */
export function worded(show: () => void): void {
  shown.push(show);
  show();
}

/** say is a text with its slots filled. Values are filled once: a name in braces stays. */
export function say(key: Word, slots: Record<string, string | number> = {}): string {
  return (spoken.chart[key] ?? key).replaceAll(/\{(\w+)\}/g, (all, name: string) => String(slots[name] ?? all));
}

/** quote is a text of the document in the language: a reason, a rule, what a metric is. */
export function quote(text: string): string {
  const all = spoken.quoted;
  return all && Object.hasOwn(all, text) ? all[text]! : text;
}

/** count is a number of things in the plural form that the language has for it. */
export function count(n: number, what: Things, text = String(n)): string {
  const form = `${what}#${new Intl.PluralRules(spoken.tag).select(n)}`;
  return say((form in spoken.chart ? form : `${what}#other`) as Word, { n: text });
}

/** list joins parts of one kind. */
export const list = (parts: readonly string[]): string => parts.join(say('join.list'));

/** prose is a text with its commands, which stand between backticks in the language files, as code (internal/report/safe). */
function prose(page: Document, text: string): (string | HTMLElement)[] {
  const parts = text.split(/`([^`]*)`/);
  return parts.map((part, i) => {
    if (i % 2 === 0) return part;
    if (!part.includes(' ')) return '`' + part + '`';
    const code = page.createElement('code');
    code.textContent = part;
    return code;
  });
}

/** exchange puts what Go wrote into a language. */
export function exchange(page: Document, { tag, texts }: Language): void {
  page.documentElement.lang = tag;
  for (const e of page.querySelectorAll<HTMLElement>('[data-t]')) e.replaceChildren(...prose(page, texts[Number(e.dataset['t'])] ?? ''));
  for (const e of page.querySelectorAll<HTMLElement>('[data-label]')) e.setAttribute('aria-label', texts[Number(e.dataset['label'])] ?? '');
}
