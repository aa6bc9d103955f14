// A contrast in two short lines, as they stand beside its interval.

import { decimals, number, percent } from '../format';
import type { Contrast } from '../model';
import { estimable, stateOf } from '../states';
import type { Tip } from '../tip';

/** rounds in words: one round is no basis for an interval, so the count is never left out. */
export const roundsOf = (c: Contrast): string => `${c.rounds} ${c.rounds === 1 ? 'round' : 'rounds'}`;

/**
 * A bound beyond this says only the direction: two rounds that disagree give
 * intervals of any width (internal/report/digits.go, farthest).
 */
const FARTHEST = -1000;

/** range of the cost, both bounds with the decimals that its width deserves. */
export function range([lo, hi]: [number, number]): string {
  const d = decimals(lo, hi);
  const from = lo < FARTHEST ? `below ${number(FARTHEST)}` : number(lo, d);
  return `${from} to ${percent(hi, d)}`;
}

/** headline: glyph, word and, where the state allows one, the size. */
export function headline(c: Contrast): string {
  const state = stateOf(c.verdict);
  if (!estimable(c)) return `${state.glyph} ${state.word}`;
  const d = c.outer ? decimals(...c.outer) : 1;
  const size = percent(Math.abs(c.cost), d);
  switch (state.marker) {
    case 'filled':
      return `${state.glyph} ${state.word} ${size}`;
    case 'triangle':
      return `${state.glyph} ${c.cost < 0 ? 'gains' : 'costs'} ${size}`;
    default:
      return `${state.glyph} ${state.word}`;
  }
}

/** support: the interval and the rounds it rests on. */
export function support(c: Contrast): string {
  if (!estimable(c)) return roundsOf(c);
  if (c.outer) return `${range(c.outer)} · ${roundsOf(c)}`;
  return `saw ${percent(c.cost, 1)}, no interval · ${roundsOf(c)}`;
}

/** tipOf says everything about a contrast. */
export function tipOf(c: Contrast, margin: number): Tip {
  const state = stateOf(c.verdict);
  const rows = [{ name: 'verdict', value: `${state.glyph} ${state.word}` }];
  if (estimable(c)) {
    const d = c.outer ? decimals(...c.outer) : 1;
    rows.push({ name: 'cost', value: percent(c.cost, d) });
  }
  if (estimable(c) && c.outer) rows.push({ name: '95 % interval', value: range(c.outer) });
  if (estimable(c) && c.inner) rows.push({ name: '90 % interval', value: range(c.inner) });
  if (margin > 0) rows.push({ name: 'margin', value: `±${percent(margin, margin < 1 ? 1 : 0)}` });
  rows.push({ name: 'paired rounds', value: String(c.rounds) });
  const few = c.exploratory ? 'Fewer than six rounds: exploratory.' : '';
  return { title: `${c.arm.label} against ${c.base.label}`, rows, note: c.reason || few };
}
