// The few shapes that custom series are made of.

import type { Option } from './echart';
import type { Context } from './view';

export function line(x1: number, y1: number, x2: number, y2: number, stroke: string, width: number, more: Option = {}): Option {
  return { type: 'line', shape: { x1, y1, x2, y2 }, style: { stroke, lineWidth: width, ...more } };
}

export function rect(x: number, y: number, width: number, height: number, fill: string, opacity = 1): Option {
  return { type: 'rect', shape: { x, y, width, height }, style: { fill, opacity } };
}

export function dot(cx: number, cy: number, r: number, fill: string, more: Option = {}): Option {
  return { type: 'circle', shape: { cx, cy, r }, style: { fill, ...more } };
}

export function polygon(points: [number, number][], fill: string, more: Option = {}): Option {
  return { type: 'polygon', shape: { points }, style: { fill, ...more } };
}

interface TextStyle {
  size?: number;
  bold?: boolean;
  align?: 'left' | 'center' | 'right';
  width?: number;
  /** On a patch of the ground's colour, so that lines below do not cross it. */
  backed?: boolean;
}

/** text, each line cut with an ellipsis at width. Vertically centred on y. */
export function text(c: Context, content: string, x: number, y: number, fill: string, s: TextStyle = {}): Option {
  const size = s.size ?? 12;
  const fit = s.width === undefined ? {} : { width: s.width, ellipsis: '…', overflow: 'truncate' };
  const style = {
    text: content,
    x,
    y,
    fill,
    align: s.align ?? 'left',
    verticalAlign: 'middle',
    lineHeight: size * 1.3,
    font: `${s.bold ? 600 : 400} ${size}px ${c.font}`,
    ...fit,
    ...(s.backed ? { backgroundColor: c.ground, padding: [2, 5] } : {}),
  };
  return { type: 'text', style };
}

export function group(children: (Option | null)[]): Option {
  return { type: 'group', children: children.filter((c) => c !== null) };
}

/** custom is a series that draws once, with a function from data to pixels. */
export function custom(grid: number, draw: (at: (x: number, y: number) => [number, number]) => Option, more: Option = {}): Option {
  return {
    type: 'custom',
    coordinateSystem: 'cartesian2d',
    xAxisIndex: grid,
    yAxisIndex: grid,
    data: [[0, 0]],
    silent: true,
    clip: false,
    renderItem: (_: unknown, api: { coord(p: number[]): number[] }) => draw((x, y) => api.coord([x, y]) as [number, number]),
    ...more,
  };
}
