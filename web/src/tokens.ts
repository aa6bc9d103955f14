// The colours of the page. Hue never carries meaning alone: a glyph, a word and a
// position repeat it. The values were computed, not picked by eye (a hand-picked
// palette passed every contrast check and still had two states 1.0 apart for a
// red-blind reader); test/tokens.test.ts holds the floors they must keep.

/** One of the six states of knowledge that have a colour of their own. */
export type StateColour = 'neutral' | 'cost' | 'gain' | 'equivalent' | 'inconclusive' | 'invalid';

/** Tokens are all colours of one theme. */
export interface Tokens extends Record<StateColour, string> {
  page: string;
  panel: string;
  ink: string;
  muted: string;
  link: string;
  edge: string;
  /** Hairlines inside a chart: decoration only, no meaning, no contrast floor. */
  grid: string;
  /** Marks of up to six arms, the baseline first. For graphics, never for text. */
  series: readonly string[];
  /** Shades from little to much; the least can still be told from nothing. */
  heat: readonly string[];
  /** Fills of the parts of a whole that lie side by side. */
  parts: readonly string[];
}

export const light: Tokens = {
  page: '#FFFFFF',
  panel: '#F6F7F9',
  ink: '#1A1D23',
  muted: '#565D69',
  link: '#0B5CAD',
  edge: '#7C8491',
  grid: '#E3E6EB',
  neutral: '#5C6475',
  cost: '#AE5213',
  gain: '#073D6C',
  equivalent: '#117E5F',
  inconclusive: '#9046C5',
  invalid: '#75122F',
  series: ['#7E8287', '#1388FD', '#D57005', '#0C3833', '#901F88', '#4A4206'],
  heat: ['#A9C4DD', '#7AA5CC', '#4C84B6', '#2A6399', '#134575', '#06284B'],
  parts: ['#3739A0', '#CF7021', '#5E4205', '#391146', '#242424', '#197651', '#898989', '#A778B4'],
};

export const dark: Tokens = {
  page: '#14171C',
  panel: '#1C2128',
  ink: '#E8EAEE',
  muted: '#A7AFBC',
  link: '#79B8FF',
  edge: '#767E8B',
  grid: '#2C323B',
  neutral: '#96A0AB',
  cost: '#F9A04D',
  gain: '#2591E7',
  equivalent: '#69E4BC',
  inconclusive: '#E9D1F8',
  invalid: '#F54075',
  series: ['#DEDFE1', '#87B5F0', '#FEBA8D', '#037961', '#AE39AE', '#988A10'],
  heat: ['#17497A', '#2A6399', '#4C84B6', '#7AA5CC', '#A9C4DD', '#EEF2F7'],
  parts: ['#496DAC', '#F3E662', '#89672D', '#FA9EBA', '#9B9400', '#4AA079', '#6D6D6D', '#9AB8FD'],
};

/**
 * forced takes every colour from the reader's system ("high contrast"): the arms
 * then differ by line pattern, position and label alone.
 */
export const forced: Tokens = {
  page: 'Canvas',
  panel: 'Canvas',
  ink: 'CanvasText',
  muted: 'CanvasText',
  link: 'LinkText',
  edge: 'CanvasText',
  grid: 'GrayText',
  neutral: 'CanvasText',
  cost: 'CanvasText',
  gain: 'CanvasText',
  equivalent: 'CanvasText',
  inconclusive: 'CanvasText',
  invalid: 'CanvasText',
  series: ['CanvasText', 'CanvasText', 'CanvasText', 'CanvasText', 'CanvasText', 'CanvasText'],
  heat: ['GrayText', 'GrayText', 'GrayText', 'CanvasText', 'CanvasText', 'CanvasText'],
  parts: ['CanvasText', 'GrayText', 'CanvasText', 'GrayText', 'CanvasText', 'GrayText', 'CanvasText', 'GrayText'],
};

/** inkOn is black or white, what can be read on a fill; "" on a system's colour, which nobody knows. */
export function inkOn(fill: string): string {
  if (!/^#[0-9A-F]{6}$/i.test(fill)) return '';
  const [r, g, b] = [1, 3, 5].map((i) => (parseInt(fill.slice(i, i + 2), 16) / 255) ** 2.2);
  // Where both contrasts of WCAG 2 are equal: (1 + .05) / (Y + .05) = (Y + .05) / .05.
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b! > 0.179 ? '#000000' : '#FFFFFF';
}
