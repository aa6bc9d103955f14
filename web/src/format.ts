// Numbers and names as they are printed. Names come from clusters, manifests and
// other people's logs: they are hostile until shown otherwise.

import { say } from './words';

const MINUS = '\u2212';
const THIN = '\u202f'; // narrow no-break space, so that "9.8 %" never breaks

/** number with a fixed count of decimals, thousands separated, a true minus sign. */
export function number(x: number, decimals = 0): string {
  const text = Math.abs(x).toLocaleString('en-US', {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  });
  return x < 0 && /[1-9]/.test(text) ? MINUS + text : text;
}

/** percent with its sign word left to the caller. */
export function percent(x: number, decimals: number): string {
  return say('percent', { x: number(x, decimals) }).replace(' %', `${THIN}%`);
}

/** places are the decimals of a number that somebody wrote, such as a margin: 1.5 has one. */
export const places = (x: number): number => String(Number(x.toFixed(3))).split('.')[1]?.length ?? 0;

/** pvalue with so many decimals: "<0.001" where they show nothing of it, because no test gives 0 (language.PValue). */
export function pvalue(p: number, decimals: number): string {
  const least = 10 ** -decimals;
  return p < least ? `<${number(least, decimals)}` : number(p, decimals);
}

/**
 * decimals that an estimate deserves: two significant digits of its interval's
 * half width, the same for estimate and bounds. One decimal without an interval.
 * The same rule as internal/report/cost.go, so that no view shows another number.
 */
export function decimals(lo: number | null, hi: number | null): number {
  if (lo === null || hi === null) return 1;
  const half = Math.abs(hi - lo) / 2;
  if (!(half > 0)) return 2;
  return Math.min(3, Math.max(0, 1 - Math.floor(Math.log10(half))));
}

/** rate in transactions per second: whole from 1,000 on, else one decimal. */
export function rate(x: number): string {
  return number(x, Math.abs(x) < 1000 && x !== 0 ? 1 : 0);
}

/** short is a rate for an axis: 950, 1.2 k, 22 k, 1.4 M. */
export function short(x: number): string {
  const [value, unit] = x >= 1e6 ? [x / 1e6, 'M'] : x >= 1e4 ? [x / 1e3, 'k'] : [x, ''];
  const text = number(value, Number.isInteger(value) || value >= 100 ? 0 : 1);
  return unit ? `${text}${THIN}${unit}` : text;
}

/** tickTime is a round number of milliseconds: 0.5 ms, 20 ms, 1 s. */
export function tickTime(x: number): string {
  const [value, unit] = x >= 1000 ? [x / 1000, 's'] : x >= 0.1 ? [x, 'ms'] : [x * 1000, 'µs'];
  return `${Number(value.toPrecision(3))}${THIN}${unit}`;
}

/** milliseconds to three significant digits, in the unit a reader would say. */
export function milliseconds(x: number): string {
  const [value, unit] = x >= 1000 ? [x / 1000, 's'] : x >= 0.1 ? [x, 'ms'] : [x * 1000, 'µs'];
  const digits = value > 0 ? Math.max(0, Math.min(2, 2 - Math.floor(Math.log10(value)))) : 0;
  return `${number(value, digits)}${THIN}${unit}`;
}

// C0, C1, zero-width and bidirectional controls: invisible, or able to reorder the
// rest of a line. U+2028 and U+2029 break lines.
const INVISIBLE = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g;

/** visible replaces what cannot be seen by its code point, and shortens in the middle. */
export function visible(name: string, limit = 48): string {
  // Cut first: a name of a megabyte should not be searched whole.
  const head = name.length > 4 * limit ? name.slice(0, 2 * limit) + '…' + name.slice(-2 * limit) : name;
  const clean = head.replace(INVISIBLE, (c) => `⟨U+${c.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}⟩`);
  const chars = [...clean];
  if (chars.length <= limit) return clean;
  const half = Math.floor((limit - 1) / 2);
  return chars.slice(0, half).join('') + '…' + chars.slice(-half).join('');
}

/** breadth is how wide words are drawn, near enough to break lines: Chinese characters are as wide as high. */
export const breadth = (words: string, size = 12): number => [...words].reduce((sum, ch) => sum + size * (ch > '\u2e80' ? 1 : 0.56), 0);

/** wrap breaks words into at most so many lines of a breadth; an ellipsis ends what is left out. */
export function wrap(words: string, wide: number, most: number, size = 12): string[] {
  const lines: string[] = [];
  for (const piece of words.split(/(?<=[\s,。，；：;:])/u)) {
    const last = lines.at(-1);
    if (last !== undefined && breadth(last + piece, size) <= wide) lines[lines.length - 1] = last + piece;
    else if (piece.trim()) lines.push(piece);
  }
  if (lines.length <= most) return lines;
  const chars = [...lines.slice(most - 1).join('')];
  while (chars.length && breadth(chars.join('') + '…', size) > wide) chars.pop();
  return [...lines.slice(0, most - 1), chars.join('').trimEnd() + '…'];
}

/**
 * plain makes text safe as a label of ECharts where rich text is on: there, braces
 * are markup, so look-alikes replace them.
 */
export function plain(text: string): string {
  return text.replaceAll('{', '❴').replaceAll('}', '❵');
}
