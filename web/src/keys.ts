// The keyboard path to every point of a chart.

import type { Stop } from './view';

export interface Walk {
  stops(): readonly Stop[];
  at(): Stop | null;
  visit(stop: Stop | null): void;
  zoom(factor: number): void;
}

/** step is the stop that a key leads to from another; pure, so that it can be tested. */
export function step(stops: readonly Stop[], at: Stop | null, key: string): Stop | null {
  if (!stops.length) return null;
  if (!at) return stops[0]!;
  const rows = [...new Set(stops.map((s) => s.row))].sort((a, b) => a - b);
  const row = stops.filter((s) => s.row === at.row);
  const here = row.indexOf(at);
  switch (key) {
    case 'ArrowLeft':
      return row[Math.max(0, here - 1)]!;
    case 'ArrowRight':
      return row[Math.min(row.length - 1, here + 1)]!;
    case 'Home':
      return row[0]!;
    case 'End':
      return row[row.length - 1]!;
    default: {
      const next = rows[rows.indexOf(at.row) + (key === 'ArrowDown' ? 1 : -1)];
      if (next === undefined) return at;
      return nearest(stops.filter((s) => s.row === next), at.x);
    }
  }
}

function nearest(stops: readonly Stop[], x: number): Stop {
  return stops.reduce((best, s) => (Math.abs(s.x - x) < Math.abs(best.x - x) ? s : best));
}

const MOVES = new Set(['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End']);
const ZOOMS = new Map([['+', 0.5], ['=', 0.5], ['-', 2], ['0', 0]]);

/** bindKeys lets the focused chart be walked; Escape puts everything away. */
export function bindKeys(box: HTMLElement, walk: Walk): void {
  box.addEventListener('keydown', (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    if (MOVES.has(e.key)) walk.visit(step(walk.stops(), walk.at(), e.key));
    else if (ZOOMS.has(e.key)) walk.zoom(ZOOMS.get(e.key)!);
    else if (e.key === 'Escape') walk.visit(null);
    else return;
    e.preventDefault();
  });
  box.addEventListener('focus', () => {
    // Only for keys: a click focuses too, and its point is under the pointer.
    if (box.matches(':focus-visible') && !walk.at()) walk.visit(step(walk.stops(), null, 'Home'));
  });
  box.addEventListener('blur', () => walk.visit(null));
}
