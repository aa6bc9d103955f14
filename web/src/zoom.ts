// Zoom by dragging over a range of x. The wheel is left alone: it scrolls the page.

import type { ECharts } from './echart';
import type { Pixel } from './overlay';

interface Drag {
  active(): boolean;
  band(x0: number, x1: number): void;
  done(from: Pixel, to: Pixel): void;
}

/** Less than this many pixels is a click. */
const CLICK = 6;

/** bindDrag reports a finished drag; fingers scroll, so only a mouse drags. */
export function bindDrag(zr: ReturnType<ECharts['getZr']>, drag: Drag): { dragging(): boolean } {
  let from: Pixel | null = null;
  let moved = false;
  zr.on('mousedown', (e) => {
    const touch = String((e.event as unknown as Event | undefined)?.type ?? '').startsWith('touch');
    from = drag.active() && !touch ? [e.offsetX, e.offsetY] : null;
    moved = false;
  });
  zr.on('mousemove', (e) => {
    if (!from) return;
    moved ||= Math.abs(e.offsetX - from[0]) > CLICK;
    if (moved) drag.band(from[0], e.offsetX);
  });
  zr.on('mouseup', (e) => {
    const start = from;
    from = null;
    if (start && moved) drag.done(start, [e.offsetX, start[1]]);
    moved = false;
  });
  zr.on('globalout', () => {
    from = null;
  });
  return { dragging: () => from !== null && moved };
}
