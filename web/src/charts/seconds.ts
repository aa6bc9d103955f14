// The measured seconds of each arm as 50 dots, each 2 % of the seconds. Two levels
// show as two heaps, which a mean or a box would hide; counting dots reads a risk
// (Fernandes et al. 2018).

import * as axis from '../axis';
import { colourOf, shown } from '../arms';
import type { Option } from '../echart';
import { number, percent, rate, short } from '../format';
import type { Arm, Trial } from '../model';
import { fromZero, type Range } from '../scale';
import { custom, dot, group, line, text } from '../shape';
import { isNarrow, type Chart, type Context, type Panel, type Stop } from '../view';
import { quantiles, stack } from './quantile';
import { measured } from './series-data';
import { count, say } from '../words';

const DOTS = 50;
const TOP = 6;
const FOOT = 44;

interface Row {
  arm: Arm;
  /** The points of the windows, or the quantiles of a series that was reduced. */
  seconds: number[];
  dots: number[];
  /** How many points there were. */
  points: number;
}

export const seconds: Chart = {
  name: 'seconds',
  rows: (m) => [['arm', 'tx_per_s', 'share_percent'], ...m.arms.flatMap((a) => rowOf(a).seconds.map((v, _, all) => [a.label, v, 100 / all.length]))],
  help: 'help.seconds',
  draw(c) {
    const rows = shown(c).filter((a) => a.trials.length).map(rowOf);
    if (!c.model.trials.some((t) => measured(t).length)) return null;
    const range = rangeOf(c);
    const tall = isNarrow(c.width) ? 104 : 84;
    const left = isNarrow(c.width) ? 10 : Math.min(200, Math.max(120, c.width * 0.18));
    const panel: Panel = { x: left, y: TOP, width: c.width - left - 16, height: rows.length * tall };
    const diameter = panel.width < 420 ? 5 : 7;
    const whole = rows.every((r) => r.points <= DOTS);
    return {
      height: TOP + panel.height + FOOT,
      panels: [panel],
      hit: 'nearest',
      stops: rows.flatMap((r, i) => stopsOf(r, i, panel, range, diameter, tall)),
      option: {
        xAxis: [
          axis.value(c, 0, range, {
            axisLabel: axis.label(c, { formatter: short }),
            name: whole ? say('dot-second') : say(isNarrow(c.width) ? 'dot-share.short' : 'dot-share', { x: 100 / DOTS }),
            nameLocation: 'middle',
            nameGap: 26,
            nameTextStyle: { color: c.tokens.muted, fontSize: 12 },
          }),
        ],
        yAxis: [axis.bare(0, 0, rows.length, { inverse: true })],
        series: rows.map((r, i) => custom(0, (at) => row(c, r, i, panel, diameter, tall, at))),
      },
    };
  },
};

function rowOf(arm: Arm): Row {
  // The seconds that a reduced series keeps are the extreme ones: its quantiles come along.
  const points = arm.trials.reduce((n, t) => n + pointsOf(t), 0);
  if (arm.spread.length) return { arm, seconds: arm.spread, dots: quantiles(arm.spread, DOTS), points };
  const seconds = arm.trials.flatMap((t) => measured(t).flatMap((s) => s.tps ?? [])).sort((a, b) => a - b);
  return { arm, seconds, dots: quantiles(seconds, DOTS), points };
}

/** pointsOf a trial's window: of a reduced series those that there were, by the share of the time after the warm-up. */
function pointsOf(t: Trial): number {
  if (!t.reduced) return measured(t).length;
  const end = t.seconds.at(-1)?.t ?? 0;
  const warm = t.seconds.findLast((s) => s.warmup)?.t ?? 0;
  return end > 0 ? Math.round(t.reduced * (1 - warm / end)) : 0;
}

function rangeOf(c: Context): Range {
  const max = c.model.trials.reduce((m, t) => measured(t).reduce((n, s) => Math.max(n, s.tps ?? 0), m), 0);
  return fromZero(max, isNarrow(c.width) ? 4 : 7);
}

/** pitch is the height of one dot in a heap: less than its diameter when the heap is high. */
function pitch(levels: number, diameter: number, tall: number): number {
  const room = tall - 34;
  return Math.min(diameter, room / Math.max(1, levels));
}

function row(c: Context, r: Row, i: number, p: Panel, diameter: number, tall: number, at: (x: number, y: number) => [number, number]): Option {
  const { tokens } = c;
  const [, top] = at(0, i);
  const floor = top + tall - 6;
  const placed = stack(r.dots, (v) => at(v, i)[0], diameter);
  const high = pitch(placed.reduce((m, d) => Math.max(m, d.level + 1), 1), diameter, tall);
  const dots = placed.map((d) =>
    dot(d.x, floor - diameter / 2 - d.level * high, diameter / 2 - 0.25, colourOf(c, r.arm), { stroke: c.ground, lineWidth: 0.5 }),
  );
  const share = count(r.points, c.model.turns ? 'turn' : 'second', number(r.points));
  const words = isNarrow(c.width)
    ? [text(c, r.arm.label, p.x, top + 14, tokens.ink, { bold: true, width: p.width * 0.55 }), text(c, share, p.x + p.width, top + 14, tokens.muted, { align: 'right', size: 11 })]
    : [text(c, r.arm.label, 0, floor - 26, tokens.ink, { bold: true, size: 13.5, width: p.x - 14 }), text(c, share, 0, floor - 8, tokens.muted, { size: 11, width: p.x - 14 })];
  const none = r.seconds.length ? null : text(c, say('no-second'), p.x + 8, floor - 14, tokens.cost, { backed: true });
  return group([line(p.x, floor, p.x + p.width, floor, tokens.edge, 1), none, ...dots, ...levels(c, r, i, floor, tall, at), ...words]);
}

// The levels that throughput stays at, from the document; else the mean of the trials.
function levels(c: Context, r: Row, i: number, floor: number, tall: number, at: (x: number, y: number) => [number, number]): Option[] {
  const { arm } = r;
  const marks =
    arm.states.length > 1
      ? arm.states.map((s) => ({ x: s.level, words: say('level-in', { x: short(s.level), share: percent(s.share * 100, 0) }) }))
      : arm.mean !== null
        ? [{ x: arm.mean, words: say('mean', { x: rate(arm.mean) }) }]
        : [];
  const top = floor - tall + (isNarrow(c.width) ? 44 : 24);
  const close = marks.length > 1 && at(marks.at(-1)!.x, i)[0] - at(marks[0]!.x, i)[0] < 110 * (marks.length - 1);
  return marks.flatMap(({ x, words }, n) => {
    const [px] = at(x, i);
    const away = close ? (n === 0 ? 'right' : 'left') : 'center';
    const align = px > c.width - 60 ? 'right' : px < 60 ? 'left' : away;
    return [line(px, top, px, floor, c.tokens.ink, 1.5, { lineDash: [4, 3] }), text(c, words, px, top - 9, c.tokens.ink, { align, size: 11.5, backed: true })];
  });
}

function stopsOf(r: Row, i: number, p: Panel, range: Range, diameter: number, tall: number): Stop[] {
  const scale = (v: number) => p.x + ((v - range.min) / (range.max - range.min)) * p.width;
  const placed = stack(r.dots, scale, diameter);
  const high = pitch(placed.reduce((m, d) => Math.max(m, d.level + 1), 1), diameter, tall);
  const back = (px: number) => range.min + ((px - p.x) / p.width) * (range.max - range.min);
  return placed.map((d, n) => ({
    grid: 0,
    x: back(d.x),
    y: i + (tall - 6 - diameter / 2 - d.level * high) / tall,
    row: i,
    tip: () => ({
      title: r.arm.label,
      rows: [
        { name: say('second-with'), value: say('tps', { x: rate(d.value) }) },
        { name: say('slower-seconds'), value: percent((n / r.dots.length) * 100, 0) },
      ],
    }),
  }));
}
