// What lies over a chart while the reader points at something: the ring round the
// point, the line that follows it through every panel, the lit group, the drag.

import { graphic, type ECharts } from './echart';
import type { Tokens } from './tokens';
import type { Stop, View } from './view';

export type Pixel = [number, number];

/** Overlay draws into a chart's own canvas, above everything, and is never hit. */
export class Overlay {
  readonly #chart: ECharts;
  readonly #layer = new graphic.Group({ silent: true });

  constructor(chart: ECharts) {
    this.#chart = chart;
    chart.getZr().add(this.#layer);
  }

  clear(): void {
    this.#layer.removeAll();
  }

  /** light marks a stop, its crosshair and its group. */
  light(view: View, stop: Stop, pixels: Map<Stop, Pixel>, tokens: Tokens, ring: boolean): void {
    this.clear();
    const at = pixels.get(stop);
    if (!at) return;
    for (const grid of view.crosshair ?? []) this.#vertical(grid, view, stop.x, tokens);
    if (stop.group) this.#group(view, stop, pixels, tokens);
    this.#layer.add(this.#circle(at, ring ? 8 : 5, tokens, ring ? 2.5 : 1.5));
  }

  /** band shows the range being dragged. */
  band(x0: number, x1: number, height: number, tokens: Tokens): void {
    this.clear();
    const shape = { x: Math.min(x0, x1), y: 0, width: Math.abs(x1 - x0), height };
    this.#layer.add(new graphic.Rect({ shape, style: { fill: tokens.link, opacity: 0.15 }, z: 100 }));
  }

  #vertical(grid: number, view: View, x: number, tokens: Tokens): void {
    const box = view.panels[grid];
    const px = this.#chart.convertToPixel({ gridIndex: grid }, [x, 1])?.[0];
    if (!box || px === undefined || px < box.x || px > box.x + box.width) return;
    const shape = { x1: px, x2: px, y1: box.y, y2: box.y + box.height };
    this.#layer.add(new graphic.Line({ shape, style: { stroke: tokens.muted, lineWidth: 1, lineDash: [3, 3] }, z: 100 }));
  }

  #group(view: View, stop: Stop, pixels: Map<Stop, Pixel>, tokens: Tokens): void {
    const members = view.stops.filter((s) => s.group === stop.group);
    for (const grid of view.joined ?? []) {
      const style = { stroke: tokens.ink, lineWidth: 2, fill: 'none' };
      for (const run of runs(members.filter((s) => s.grid === grid))) {
        const points = run.map((s) => pixels.get(s)!);
        this.#layer.add(new graphic.Polyline({ shape: { points }, style, z: 100 }));
      }
    }
    if (!view.ringed) return;
    for (const s of members) if (s !== stop) this.#layer.add(this.#circle(pixels.get(s)!, 4, tokens, 1.5));
  }

  #circle([cx, cy]: Pixel, r: number, tokens: Tokens, lineWidth: number) {
    return new graphic.Circle({ shape: { cx, cy, r }, style: { stroke: tokens.ink, fill: 'none', lineWidth }, z: 101 });
  }
}

/** runs splits stops in order of x where seconds are missing between them. */
export function runs(stops: readonly Stop[]): Stop[][] {
  const sorted = [...stops].sort((a, b) => a.x - b.x);
  const usual = sorted.reduce((least, s, i) => (i ? Math.min(least, s.x - sorted[i - 1]!.x) : least), Infinity);
  const out: Stop[][] = [];
  sorted.forEach((s, i) => {
    if (i && s.x - sorted[i - 1]!.x <= 1.5 * usual) out.at(-1)!.push(s);
    else out.push([s]);
  });
  return out.filter((run) => run.length > 1);
}
