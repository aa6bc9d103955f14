// Arms as they are drawn: which are shown, in which colour and line pattern.

import type { Arm } from './trial';
import type { Context } from './view';

/** shown is the arms that are switched on; all, when a link switched every one off. */
export function shown(c: Context): Arm[] {
  const on = c.model.arms.filter((a) => !c.choices.off.has(a.index));
  return on.length ? on : c.model.arms;
}

/** colourOf an arm's marks. More than six arms share colours and differ by pattern. */
export const colourOf = (c: Context, arm: Arm): string => c.tokens.series[arm.hue % 6]!;

const PATTERNS: ('solid' | number[])[] = ['solid', [7, 3], [2, 3], [9, 3, 2, 3], [4, 2], [1, 2]];

/** patternOf an arm's lines: solid, unless colours cannot be relied on or have run out. */
export function patternOf(c: Context, arm: Arm): 'solid' | number[] {
  const n = c.patterned ? arm.hue : Math.floor(arm.hue / 6);
  return PATTERNS[n % PATTERNS.length]!;
}
