// What is known about a contrast, and how it looks: glyph, word, colour, marker.
// "Inconclusive", "invalid" and "not measured" are states like the others, never
// blanks, never green.

import type { StateColour } from './tokens';

/** How the estimate is drawn. */
export type Marker = 'filled' | 'hollow' | 'triangle' | 'diamond' | 'none';

export interface State {
  glyph: string;
  word: string;
  colour: StateColour;
  marker: Marker;
}

const states: Record<string, State> = {
  costs: { glyph: '▲', word: 'costs', colour: 'cost', marker: 'filled' },
  gains: { glyph: '▼', word: 'gains', colour: 'gain', marker: 'filled' },
  'within-margin': { glyph: '△', word: 'within margin', colour: 'neutral', marker: 'triangle' },
  equivalent: { glyph: '=', word: 'equivalent', colour: 'equivalent', marker: 'diamond' },
  inconclusive: { glyph: '?', word: 'inconclusive', colour: 'inconclusive', marker: 'hollow' },
  invalid: { glyph: '✕', word: 'invalid', colour: 'invalid', marker: 'none' },
  'not-measured': { glyph: '–', word: 'not measured', colour: 'neutral', marker: 'none' },
  sealed: { glyph: '…', word: 'sealed', colour: 'neutral', marker: 'none' },
  failed: { glyph: '!', word: 'failed', colour: 'invalid', marker: 'none' },
};

/**
 * stateOf is the look of a verdict. A verdict this page does not know is shown by
 * its own name and without an estimate: better no number than one misread.
 */
export function stateOf(verdict: string): State {
  const key = verdict.replaceAll('_', '-').replaceAll(' ', '-');
  return states[key] ?? { glyph: '–', word: verdict, colour: 'neutral', marker: 'none' };
}

/**
 * estimable says whether a contrast may show a number: its state allows one, and
 * there is one. A verdict without a number is possible (every pair lost its arm).
 */
export function estimable<C extends { verdict: string; cost: number | null }>(c: C): c is C & { cost: number } {
  return c.cost !== null && stateOf(c.verdict).marker !== 'none';
}

/** outcomes are the ends of a trial, with the mark that stands for a missing value. */
const outcomes: Record<string, { glyph: string; word: string; colour: StateColour }> = {
  measured: { glyph: '', word: 'measured', colour: 'neutral' },
  'not-ready': { glyph: '✕', word: 'never became ready', colour: 'cost' },
  starved: { glyph: '✕', word: 'starved', colour: 'cost' },
  failed: { glyph: '!', word: 'failed', colour: 'invalid' },
};

/** outcomeOf is how a trial's end is shown; an unknown outcome keeps its name. */
export function outcomeOf(outcome: string): { glyph: string; word: string; colour: StateColour } {
  return outcomes[outcome] ?? { glyph: '!', word: outcome, colour: 'invalid' };
}
