// Buttons above a chart.

import type { Choices, Store } from './store';
import type { Page } from './view';
import { say, worded, type Word } from './words';

/** toggle is a button that is pressed or not. */
export function toggle(
  store: Store,
  name: Word | null,
  get: (c: Choices) => boolean,
  set: (on: boolean) => Partial<Choices>,
): HTMLButtonElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'tare-button';
  if (name) worded(() => (button.textContent = say(name)));
  const show = () => button.setAttribute('aria-pressed', String(get(store.choices)));
  button.addEventListener('click', () => store.set(set(!get(store.choices))));
  store.listen(show);
  show();
  return button;
}

/** hint is a few words for who uses a mouse; keys are told to screen readers. */
export function hint(words: Word): HTMLElement {
  const span = document.createElement('span');
  span.className = 'tare-hint';
  span.setAttribute('aria-hidden', 'true');
  worded(() => (span.textContent = say(words)));
  return span;
}

/** chooser is a list of which one is chosen; "" is its first entry. */
export function chooser(store: Store, label: Word, first: () => string, entries: [string, () => string][]): HTMLElement {
  const select = document.createElement('select');
  select.className = 'tare-button';
  worded(() => select.setAttribute('aria-label', say(label)));
  for (const [value, name] of [['', first] as const, ...entries]) {
    const option = document.createElement('option');
    option.value = value;
    worded(() => (option.textContent = name()));
    select.append(option);
  }
  const show = () => (select.value = store.choices.metric);
  select.addEventListener('change', () => store.set({ metric: select.value }));
  store.listen(show);
  show();
  return select;
}

/**
 * armToggles switch arms on and off in every chart that draws them, an arm with all
 * levels of its load; the last one stays.
 */
export function armToggles({ model, store, theme }: Page): HTMLElement[] {
  const groups = [...new Set(model.arms.map((a) => a.name))].map((name) => model.arms.filter((a) => a.name === name));
  if (groups.length < 2) return [];
  return groups.map((arms) => {
    const off = (c: Choices) => arms.every((a) => c.off.has(a.index));
    const flip = (on: boolean): Partial<Choices> => {
      const next = new Set(store.choices.off);
      for (const a of arms) if (on) next.delete(a.index);
      else next.add(a.index);
      return next.size < model.arms.length ? { off: next } : {};
    };
    const button = toggle(store, null, (c) => !off(c), flip);
    const mark = document.createElement('span');
    mark.className = 'tare-mark';
    const paint = () => (mark.style.background = theme.tokens.series[arms[0]!.hue % 6]!);
    store.listen(paint);
    paint();
    button.append(mark, arms.length > 1 ? arms[0]!.label.replace(/ ×\d+$/, '') : arms[0]!.label);
    return button;
  });
}
