// How response times are spread: a ridge per arm on one log axis, all of one area,
// with the percentiles that people quote. A second heap (a cache miss, a throttled
// period) shows as one; a percentile alone would hide it.

import * as axis from '../axis';
import { colourOf, shown } from '../arms';
import type { Option } from '../echart';
import { milliseconds, number, percent, tickTime } from '../format';
import type { Arm } from '../model';
import { logRange, type LogRange } from '../scale';
import { custom, group, line, polygon, text } from '../shape';
import { isNarrow, type Chart, type Context, type Panel, type Stop } from '../view';
import { curve, density, nines, percentileName, valueAt, type Curve } from './nines';
import { count, say } from '../words';

const TOP = 6;
const FOOT = 44;
/** Four of sysbench's buckets to a bin: finer would draw its lattice. */
const BINS = 32;
const QUOTED = [0.5, 0.95, 0.99];
/** Room in a row: below its floor for the percentiles, above the ridge for air. */
const UNDER = 22;
const ABOVE = 10;

interface Row {
  arm: Arm;
  curve: Curve;
  ridge: [number, number][];
}

export const distribution: Chart = {
  name: 'distribution',
  rows: (m) => [['arm', 'ms', 'requests'], ...m.arms.flatMap((a) => a.histogram.map(([ms, n]) => [a.label, ms, n]))],
  help: 'help.distribution',
  draw(c) {
    const rows = rowsOf(shown(c));
    const all = rowsOf(c.model.arms);
    if (!rows.length) return null;
    const tall = isNarrow(c.width) ? 108 : 88;
    const left = isNarrow(c.width) ? 10 : Math.min(200, Math.max(120, c.width * 0.18));
    const panel: Panel = { x: left, y: TOP, width: c.width - left - 16, height: rows.length * tall };
    const range = rangeOf(all);
    const peak = all.flatMap((r) => r.ridge).reduce((m, [, d]) => Math.max(m, d), 0);
    const axisName = { name: say('response-time'), nameLocation: 'middle', nameGap: 26, nameTextStyle: { color: c.tokens.muted, fontSize: 12 } };
    return {
      height: TOP + panel.height + FOOT,
      panels: [panel],
      hit: 'nearest',
      crosshair: [0],
      stops: rows.flatMap((r, i) => stopsOf(r, i, range, peak, tall)),
      option: {
        xAxis: [axis.log(c, 0, range, { axisLabel: { formatter: tickTime }, ...axisName })],
        yAxis: [axis.bare(0, 0, rows.length, { inverse: true })],
        series: rows.map((r, i) => custom(0, (at) => row(c, r, i, panel, range, peak, tall, at), { data: [[range.min, 0]] })),
      },
    };
  },
};

function rowsOf(arms: Arm[]): Row[] {
  return arms
    .filter((arm) => arm.histogram.length > 0)
    .map((arm) => ({ arm, curve: curve(arm.histogram), ridge: density(arm.histogram, BINS) }));
}

// From the fastest hundredth to where fewer than ten requests lie beyond, over all
// arms, hidden ones too.
function rangeOf(rows: Row[]): LogRange {
  const starts = rows.map((r) => valueAt(r.curve, nines(0.005))?.ms ?? r.ridge[0]![0]);
  const ends = rows.map((r) => (r.curve.dashed.at(-1) ?? r.curve.solid.at(-1) ?? [0, r.ridge.at(-1)![0]])[1]);
  return logRange(Math.min(...starts), Math.max(...ends));
}

type At = (x: number, y: number) => [number, number];

function row(c: Context, r: Row, i: number, p: Panel, range: LogRange, peak: number, tall: number, at: At): Option {
  const { tokens } = c;
  const floor = at(range.min, i)[1] + tall - UNDER;
  const room = tall - UNDER - ABOVE;
  const inside = r.ridge.filter(([ms]) => ms >= range.min && ms <= range.max);
  const outline = inside.map(([ms, d]): [number, number] => [at(ms, i)[0], floor - (d / peak) * room]);
  const colour = colourOf(c, r.arm);
  const first = outline[0]?.[0] ?? p.x;
  const last = outline.at(-1)?.[0] ?? p.x;
  const total = count(r.curve.total, 'request', number(r.curve.total));
  const words = isNarrow(c.width)
    ? [text(c, r.arm.label, p.x, at(range.min, i)[1] + 14, tokens.ink, { bold: true, width: p.width * 0.5 }), text(c, total, p.x + p.width, at(range.min, i)[1] + 14, tokens.muted, { align: 'right', size: 11 })]
    : [text(c, r.arm.label, 0, floor - 26, tokens.ink, { bold: true, size: 13.5, width: p.x - 14 }), text(c, total, 0, floor - 8, tokens.muted, { size: 11, width: p.x - 14 })];
  return group([
    polygon([[first, floor], ...outline, [last, floor]], colour, { opacity: 0.28 }),
    { type: 'polyline', shape: { points: outline }, style: { stroke: colour, lineWidth: 2, fill: 'none' } },
    line(p.x, floor, p.x + p.width, floor, tokens.edge, 1),
    ...quoted(c, r, i, floor, range, at),
    ...words,
  ]);
}

// Labels that would touch are left out, the ticks stay.
function quoted(c: Context, r: Row, i: number, floor: number, range: LogRange, at: At): Option[] {
  let free = -Infinity;
  return QUOTED.flatMap((q) => {
    const found = valueAt(r.curve, nines(q));
    if (!found || found.ms < range.min || found.ms > range.max) return [];
    const [x] = at(found.ms, i);
    const name = `${percentileName(nines(q))} ${milliseconds(found.ms)}`;
    const half = name.length * 3.2;
    const tick = line(x, floor - 10, x, floor + 4, c.tokens.ink, 1.5);
    if (x - half < free || x + half > c.width) return [tick];
    free = x + half + 4;
    return [tick, text(c, name, x, floor + 12, c.tokens.ink, { align: 'center', size: 11 })];
  });
}

function stopsOf(r: Row, i: number, range: LogRange, peak: number, tall: number): Stop[] {
  let slower = 1;
  return r.ridge.flatMap(([ms, share]) => {
    slower -= share;
    const rest = Math.max(0, slower);
    if (ms < range.min || ms > range.max) return [];
    const tip = () => ({
      title: say('about', { arm: r.arm.label, ms: milliseconds(ms) }),
      rows: [
        { name: say('requests-here'), value: percent(share * 100, share < 0.01 ? 2 : 1) },
        { name: say('slower'), value: percent(rest * 100, rest < 0.01 ? 2 : 1) },
      ],
    });
    return [{ grid: 0, x: ms, y: i + (tall - UNDER - (share / peak) * (tall - UNDER - ABOVE)) / tall, row: i, tip }];
  });
}
