// The switch of languages, and the page's way from one to another.

import type { Store } from './store';
import { choose, exchange, say, setLanguage, worded, type Language, type Words } from './words';

/** Languages keeps the page in the language that the reader has chosen. */
export class Languages {
  readonly #words: Words;
  readonly #store: Store;
  #now: Language | undefined;

  constructor(words: Words, store: Store) {
    this.#words = words;
    this.#store = store;
    this.#apply();
    store.listen(() => this.#apply());
  }

  /** tag of the language that is shown. */
  get tag(): string {
    return this.#now?.tag ?? this.#words.now;
  }

  #apply(): void {
    const next = choose(this.#words, this.#store.choices.lang, navigator.languages);
    if (!next || next === this.#now) return;
    const first = this.#now === undefined;
    this.#now = next;
    // Written in it already: nothing to exchange.
    if (!first || next.tag !== this.#words.now) exchange(document, next);
    setLanguage(next);
  }

  /** choice is a button for each language, of which one is pressed. */
  choice(): HTMLElement {
    const group = document.createElement('div');
    group.className = 'tare-switch';
    group.setAttribute('role', 'group');
    worded(() => group.setAttribute('aria-label', say('languages')));
    for (const { tag, name } of this.#words.languages) {
      const button = document.createElement('button');
      button.type = 'button';
      button.lang = tag;
      button.textContent = name;
      button.addEventListener('click', () => this.#store.set({ lang: tag }));
      worded(() => button.setAttribute('aria-pressed', String(tag === this.tag)));
      group.append(button);
    }
    return group;
  }
}
