// A contrast in two short lines, shown with its interval.

import { decimals, number, percent, places } from '../format';
import type { Contrast } from '../model';
import { estimable, stateOf, word } from '../states';
import type { Tip } from '../tip';
import { count, say } from '../words';

/** rounds in words: one round is not a basis for an interval, so the count is never left out. */
export const roundsOf = (c: Contrast): string => count(c.rounds, c.paired ? 'round' : 'trial');

/**
 * A bound beyond this says only the direction: two rounds that disagree give
 * intervals of any width (internal/report/language/numbers.go, Farthest).
 */
const FARTHEST = -1000;

/** range of the cost, both bounds with the decimals that its width deserves. */
export function range([lo, hi]: [number, number]): string {
  const d = decimals(lo, hi);
  const from = lo < FARTHEST ? say('below', { x: number(FARTHEST) }) : number(lo, d);
  return say('between', { lo: from, hi: percent(hi, d) });
}

/** headline: glyph, word and, where the state allows one, the size. */
export function headline(c: Contrast): string {
  const state = stateOf(c.verdict);
  if (!estimable(c)) return `${state.glyph} ${word(state)}`;
  const d = c.outer ? decimals(...c.outer) : 1;
  const size = percent(Math.abs(c.cost), d);
  switch (state.marker) {
    case 'filled':
      return `${state.glyph} ${word(state)} ${size}`;
    case 'triangle':
      return `${state.glyph} ${say(c.cost < 0 ? 'state.gains' : 'state.costs')} ${size}`;
    default:
      return `${state.glyph} ${word(state)}`;
  }
}

/** support: the interval and the rounds it rests on. */
export function support(c: Contrast): string {
  if (!estimable(c)) return roundsOf(c);
  if (c.outer) return `${range(c.outer)} · ${roundsOf(c)}`;
  return `${say('saw', { cost: percent(c.cost, 1) })} · ${roundsOf(c)}`;
}

/** tipOf says everything about a contrast. */
export function tipOf(c: Contrast, margin: number): Tip {
  const state = stateOf(c.verdict);
  const rows = [{ name: say('verdict'), value: `${state.glyph} ${word(state)}` }];
  if (estimable(c)) {
    const d = c.outer ? decimals(...c.outer) : 1;
    rows.push({ name: say('cost'), value: percent(c.cost, d) });
  }
  if (estimable(c) && c.outer) rows.push({ name: say('in95'), value: range(c.outer) });
  if (estimable(c) && c.inner) rows.push({ name: say('in90'), value: range(c.inner) });
  if (margin > 0) rows.push({ name: say('margin'), value: `±${percent(margin, places(margin))}` });
  rows.push({ name: say(c.paired ? 'paired' : 'trials'), value: String(c.rounds) });
  const few = c.exploratory ? say('exploratory') : '';
  return { title: say('against', { arm: c.arm.label, base: c.base.label }), rows, note: c.reason || few };
}
