// The interval glyph: a thin line for 95 % (compare it with zero), a thick one for
// 90 % (compare it with the margin: two one-sided tests), and the estimate. Every
// verdict can be re-derived by eye from it. Never a bar with whiskers: bars make
// readers think values inside them likelier (Correll & Gleicher 2014).

import type { Option } from '../echart';
import type { Contrast } from '../model';
import { dot, group, line, polygon } from '../shape';
import { estimable, stateOf, type Marker } from '../states';
import type { Context } from '../view';

/** Span maps a cost to a pixel along the axis, and knows where the axis ends. */
export interface Span {
  at(cost: number): number;
  from: number;
  to: number;
}

/**
 * horizontal draws a contrast at height y; nothing at all when its state has no
 * estimate. turned: the caller will turn it by a quarter, so what points up lies down.
 */
export function horizontal(c: Contrast, y: number, span: Span, { tokens, ground }: Context, turned = false): Option {
  const state = stateOf(c.verdict);
  if (!estimable(c)) return group([]);
  const colour = tokens[state.colour];
  const x = span.at(c.cost);
  const half = c.unsettled && state.marker === 'filled';
  const kind = half ? 'half' : turned && state.marker === 'triangle' ? 'turned-triangle' : state.marker;
  const marks = [
    c.outer && line(clamp(c.outer[0], span), y, clamp(c.outer[1], span), y, colour, 2),
    c.inner && line(clamp(c.inner[0], span), y, clamp(c.inner[1], span), y, colour, 6, { lineCap: 'butt' }),
    ...(c.outer ? c.outer.map((bound) => end(bound, y, span, colour)) : []),
    marker(kind, x, y, colour, ground),
  ];
  return group(marks);
}

/** clamp is the pixel of a value, at the axis' end when it lies beyond. */
export function clamp(cost: number, span: Span): number {
  return Math.max(span.from, Math.min(span.to, span.at(cost)));
}

/**
 * end of an interval. A bound that leaves the axis ends in an arrow; clipping it would
 * make a wide interval look narrow.
 */
export function end(bound: number, y: number, span: Span, colour: string): Option {
  const x = span.at(bound);
  if (x < span.from) return arrow(span.from, y, -1, colour);
  if (x > span.to) return arrow(span.to, y, 1, colour);
  return line(x, y - 5, x, y + 5, colour, 2);
}

function arrow(x: number, y: number, way: 1 | -1, colour: string): Option {
  return polygon([[x + way * 9, y], [x - way * 3, y - 7], [x - way * 3, y + 7]], colour);
}

function marker(kind: Marker | 'half' | 'turned-triangle', x: number, y: number, colour: string, ground: string): Option {
  const edge = { stroke: colour, lineWidth: 2.5 };
  switch (kind) {
    case 'hollow':
      return dot(x, y, 5.5, ground, edge);
    case 'triangle':
      return polygon([[x, y - 7.5], [x + 7.5, y + 5.5], [x - 7.5, y + 5.5]], ground, edge);
    case 'diamond':
      return polygon([[x, y - 7.5], [x + 7.5, y], [x, y + 7.5], [x - 7.5, y]], colour, { stroke: ground, lineWidth: 1.5 });
    case 'turned-triangle':
      return polygon([[x + 7.5, y], [x - 5.5, y + 7.5], [x - 5.5, y - 7.5]], ground, edge);
    case 'half':
      return group([dot(x, y, 5.5, ground, edge), halfDisc(x, y, colour)]);
    default:
      return dot(x, y, 6, colour, { stroke: ground, lineWidth: 1.5 });
  }
}

function halfDisc(cx: number, cy: number, fill: string): Option {
  const shape = { cx, cy, r: 5.5, r0: 0, startAngle: Math.PI / 2, endAngle: (3 * Math.PI) / 2 };
  return { type: 'sector', shape, style: { fill } };
}
