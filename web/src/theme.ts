// Light, dark or the system's choice; the colours that charts draw with.

import { dark, forced, light, type Tokens } from './tokens';
import type { Store, ThemeChoice } from './store';
import { say, worded, type Word } from './words';

const prefersDark = matchMedia('(prefers-color-scheme: dark)');
const forcedColours = matchMedia('(forced-colors: active)');

/** Theme follows the reader's choice, the system, and the printer (always light). */
export class Theme {
  readonly #store: Store;
  #printing = false;

  constructor(store: Store) {
    this.#store = store;
    this.apply();
    for (const query of [prefersDark, forcedColours]) {
      query.addEventListener('change', () => store.set({}));
    }
    store.listen(() => this.apply());
  }

  get tokens(): Tokens {
    if (this.#printing) return light;
    if (forcedColours.matches) return forced;
    const { theme } = this.#store.choices;
    return theme === 'dark' || (theme === 'auto' && prefersDark.matches) ? dark : light;
  }

  /** Line patterns tell arms apart where colours cannot. */
  get patterned(): boolean {
    return this.#printing || forcedColours.matches;
  }

  get printing(): boolean {
    return this.#printing;
  }

  set printing(on: boolean) {
    this.#printing = on;
    this.apply();
  }

  apply(): void {
    const choice = this.#printing ? 'light' : this.#store.choices.theme;
    if (choice === 'auto') document.documentElement.removeAttribute('data-theme');
    else document.documentElement.dataset['theme'] = choice;
  }
}

const names: [ThemeChoice, Word][] = [
  ['auto', 'theme.auto'],
  ['light', 'theme.light'],
  ['dark', 'theme.dark'],
];

/** themeSwitch is three buttons of which one is pressed. */
export function themeSwitch(store: Store): HTMLElement {
  const group = document.createElement('div');
  group.className = 'tare-switch';
  group.setAttribute('role', 'group');
  worded(() => group.setAttribute('aria-label', say('colours')));
  for (const [choice, name] of names) {
    const button = document.createElement('button');
    button.type = 'button';
    worded(() => (button.textContent = say(name)));
    const show = () => button.setAttribute('aria-pressed', String(store.choices.theme === choice));
    button.addEventListener('click', () => store.set({ theme: choice }));
    store.listen(show);
    show();
    group.append(button);
  }
  return group;
}
