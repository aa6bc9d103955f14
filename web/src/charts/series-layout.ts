// Where the panels of the series stand.

import { rate } from '../format';
import type { Arm, Trial } from '../model';
import type { Context, Panel } from '../view';
import type { Metric } from './series-data';
import { say } from '../words';

/** Cell is one panel and what it shows. */
export interface Cell {
  panel: Panel;
  metric: Metric;
  trials: Trial[];
  title: string;
  /** Carries the labels of the value axis, of the time axis, of shaded areas. */
  first: boolean;
  last: boolean;
  topmost: boolean;
  /** Room to the left for labels. */
  inset: number;
  /** Too low for more than the ends of its axis. */
  low: boolean;
}

const AXIS = 56;
const TITLE = 34;
const FOOT = 46;
const NARROW = 640;

interface Layout {
  cells: Cell[];
  height: number;
}

/** byArm is a row per arm: throughput, and latency beside it (below it when narrow). */
export function byArm(c: Context, arms: Arm[]): Layout {
  const timed = arms.some((a) => a.trials.some((t) => t.seconds.some((s) => s.latency !== null)));
  const metrics: Metric[] = timed ? ['tps', 'latency'] : ['tps'];
  const beside = timed && c.width >= NARROW;
  const tall = arms.length > 4 ? 74 : 104;
  const width = beside ? Math.floor((c.width - 2 * AXIS - 24) / 2) : c.width - AXIS - 12;
  const rows = beside ? arms.map((a) => metrics.map((m) => [a, m] as const)) : metrics.flatMap((m) => arms.map((a) => [[a, m] as const]));
  const cells = rows.flatMap((row, r) =>
    row.map(([arm, metric], k): Cell => ({
      panel: { x: AXIS + k * (width + AXIS + 12), y: TITLE + r * (tall + TITLE + 6), width, height: tall },
      metric,
      trials: arm.trials,
      title: titleOf(arm, metric),
      first: true,
      last: r === rows.length - 1,
      topmost: r === 0,
      inset: AXIS,
      low: false,
    })),
  );
  return { cells, height: TITLE + rows.length * (tall + TITLE + 6) - TITLE - 6 + FOOT };
}

/** strips is a column per arm and a row per round: every trial by itself. */
export function strips(c: Context, arms: Arm[]): Layout {
  const columns = c.width < 460 ? 1 : c.width < 820 ? Math.min(2, arms.length) : Math.min(arms.length, 6);
  const rounds = [...new Set(arms.flatMap((a) => a.trials.map((t) => t.round)))].sort((a, b) => a - b);
  const banks = Math.ceil(arms.length / columns);
  const width = Math.floor((c.width - AXIS - 8 - (columns - 1) * 14) / columns);
  const tall = 52;
  const pitch = tall + 34;
  const bank = rounds.length * pitch + FOOT;
  const cells = arms.flatMap((arm, i) =>
    rounds.map((round, r): Cell => {
      const k = i % columns;
      const top = TITLE + Math.floor(i / columns) * bank + r * pitch;
      return {
        panel: { x: AXIS + k * (width + 14), y: top, width, height: tall },
        metric: 'tps',
        trials: arm.trials.filter((t) => t.round === round),
        title: say('arm-round', { arm: arm.label, n: round }),
        first: k === 0,
        last: r === rounds.length - 1,
        topmost: r === 0,
        inset: k === 0 ? AXIS : 0,
        low: true,
      };
    }),
  );
  return { cells, height: TITLE + banks * bank };
}

function titleOf(arm: Arm, metric: Metric): string {
  if (metric === 'tps') {
    const missing = arm.trials.filter((t) => t.outcome !== 'measured').length;
    const lost = missing ? say('without-window', { n: missing, of: arm.trials.length }) : '';
    return (arm.mean === null ? arm.label : say('arm-mean', { arm: arm.label, x: rate(arm.mean) })) + lost;
  }
  return say('arm-latency', { arm: arm.label });
}
