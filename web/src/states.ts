// What is known about a contrast, and how it looks: glyph, word, colour, marker.
// "Inconclusive", "invalid" and "not measured" are states like the others, never
// blanks, never green.

import type { StateColour } from './tokens';
import { say, type Word } from './words';

/** How the estimate is drawn. */
export type Marker = 'filled' | 'hollow' | 'triangle' | 'diamond' | 'none';

export interface State {
  glyph: string;
  /** Its name: a word, or the name of a verdict that this page does not know. */
  word: Word | { name: string };
  colour: StateColour;
  marker: Marker;
}

const states: Record<string, State> = {
  costs: { glyph: '▲', word: 'state.costs', colour: 'cost', marker: 'filled' },
  gains: { glyph: '▼', word: 'state.gains', colour: 'gain', marker: 'filled' },
  'within-margin': { glyph: '△', word: 'state.within-margin', colour: 'neutral', marker: 'triangle' },
  equivalent: { glyph: '=', word: 'state.equivalent', colour: 'equivalent', marker: 'diamond' },
  inconclusive: { glyph: '?', word: 'state.inconclusive', colour: 'inconclusive', marker: 'hollow' },
  busy: { glyph: '?', word: 'state.busy', colour: 'neutral', marker: 'hollow' },
  early: { glyph: '?', word: 'state.early', colour: 'neutral', marker: 'hollow' },
  invalid: { glyph: '✕', word: 'state.invalid', colour: 'invalid', marker: 'none' },
  'not-measured': { glyph: '–', word: 'state.not-measured', colour: 'neutral', marker: 'none' },
  sealed: { glyph: '…', word: 'state.sealed', colour: 'neutral', marker: 'none' },
  failed: { glyph: '!', word: 'state.failed', colour: 'invalid', marker: 'none' },
};

/**
 * stateOf is the look of a verdict. A verdict this page does not know is shown by
 * its own name and without an estimate: better no number than one misread.
 */
export function stateOf(verdict: string): State {
  const key = verdict.replaceAll('_', '-').replaceAll(' ', '-');
  return states[key] ?? { glyph: '–', word: { name: verdict }, colour: 'neutral', marker: 'none' };
}

/**
 * estimable says whether a contrast may show a number: its state allows one, and
 * there is one. A verdict without a number is possible (every pair lost its arm).
 */
export function estimable<C extends { verdict: string; cost: number | null }>(c: C): c is C & { cost: number } {
  return c.cost !== null && stateOf(c.verdict).marker !== 'none';
}

export interface Outcome {
  glyph: string;
  word: Word | { name: string };
  colour: StateColour;
}

/** word is what a state or an outcome is called. */
export const word = (s: { word: Word | { name: string } }): string => (typeof s.word === 'string' ? say(s.word) : s.word.name);

/** outcomes are the ends of a trial, with the mark that stands for a missing value. */
const outcomes: Record<string, Outcome> = {
  measured: { glyph: '', word: 'outcome.measured', colour: 'neutral' },
  'not-ready': { glyph: '✕', word: 'outcome.not-ready', colour: 'cost' },
  starved: { glyph: '✕', word: 'outcome.starved', colour: 'cost' },
  'server-lost': { glyph: '‡', word: 'outcome.server-lost', colour: 'cost' },
  failed: { glyph: '!', word: 'outcome.failed', colour: 'invalid' },
  incomplete: { glyph: '!', word: 'outcome.incomplete', colour: 'invalid' },
};

/** outcomeOf is how a trial's end is shown; an unknown outcome keeps its name. */
export function outcomeOf(outcome: string): Outcome {
  return outcomes[outcome] ?? { glyph: '!', word: { name: outcome }, colour: 'invalid' };
}
