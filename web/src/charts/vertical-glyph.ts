// The interval glyph on its side, for a cost that is drawn upwards: the same shapes,
// made by turning the plane.

import type { Option } from '../echart';
import type { Contrast } from '../model';
import type { Context } from '../view';
import { horizontal, type Span } from './interval-glyph';

/** vertical draws a contrast at x; span runs from the top pixel to the bottom one. */
export function vertical(c: Contrast, x: number, span: Span, context: Context): Option {
  // Rotation by a quarter turn about (x, 0): along the glyph's x axis runs our y.
  // Zrender turns anticlockwise, so lengths are negated to keep up = up.
  const turned: Span = { at: (v) => -span.at(v), from: -span.to, to: -span.from };
  const glyph = horizontal(c, 0, turned, context, true);
  return { ...glyph, x, y: 0, rotation: Math.PI / 2 };
}
