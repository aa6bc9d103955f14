// Latency distribution: percentile curves on an axis of nines, solid where at least 30
// requests lie beyond, dashed down to 10, then nothing: a tail drawn past its data
// is a flat line that looks like a promise.

import * as axis from '../axis';
import { colourOf, patternOf, shown } from '../arms';
import type { Option } from '../echart';
import { milliseconds, number, tickTime } from '../format';
import type { Arm } from '../model';
import { logRange } from '../scale';
import { custom, group, line, text } from '../shape';
import type { Tip } from '../tip';
import { armToggles } from '../tools';
import { isNarrow, type Chart, type Context, type Panel, type Stop } from '../view';
import { curve, fraction, nines, percentileName, valueAt, type Curve } from './nines';
import { say } from '../words';

const HEIGHT = 320;
const TOP = 30;
const FOOT = 48;

interface Row {
  arm: Arm;
  curve: Curve;
}

export const latency: Chart = {
  name: 'latency',
  rows: (m) => [
    ['arm', 'percentile', 'ms', 'few_beyond'],
    ...m.arms.map(rowOf).flatMap(({ arm, curve: { solid, dashed } }) => [
      ...solid.map(([n, ms]) => [arm.label, 100 * fraction(n), ms, false]),
      ...dashed.slice(1).map(([n, ms]) => [arm.label, 100 * fraction(n), ms, true]),
    ]),
  ],
  help: 'help.latency',
  tools: armToggles,
  draw(c) {
    const rows = shown(c).map(rowOf).filter((r) => r.curve.solid.length > 1);
    if (!rows.length) return null;
    const all = c.model.arms.map(rowOf).filter((r) => r.curve.solid.length > 1);
    const end = Math.max(...all.map((r) => (r.curve.dashed.at(-1) ?? r.curve.solid.at(-1)!)[0]));
    const panel = place(c, rows);
    return {
      height: TOP + HEIGHT + FOOT,
      panels: [panel],
      hit: 'column',
      crosshair: [0],
      ringed: true,
      stops: stops(c, rows),
      option: {
        xAxis: [ninesAxis(c, Math.max(2, end) + 0.02, panel)],
        yAxis: [timeAxis(c, all)],
        series: [...rows.flatMap((r) => lines(c, r)), custom(0, (at) => labels(c, rows, panel, at))],
      },
    };
  },
};

/** A run without a histogram has its few named percentiles: dots, and nothing between. */
function rowOf(arm: Arm): Row {
  if (arm.histogram.length) return { arm, curve: curve(arm.histogram) };
  const solid = arm.percentiles.filter(([p]) => p < 100).map(([p, ms]): [number, number] => [nines(p / 100), ms]);
  return { arm, curve: { solid, dashed: [], total: 0 } };
}

function place(c: Context, rows: Row[]): Panel {
  const longest = Math.max(...rows.map((r) => r.arm.label.length));
  const right = isNarrow(c.width) ? Math.min(120, 26 + longest * 8) : Math.min(200, 34 + longest * 8);
  return { x: 58, y: TOP, width: c.width - 58 - right, height: HEIGHT };
}

function ninesAxis(c: Context, max: number, p: Panel): Option {
  const places = [nines(0.5), 1, 2, 3, 4, 5, 6].filter((n) => n <= max);
  return {
    ...axis.value(c, 0, { min: 0, max, step: 1 }),
    axisTick: { show: true, customValues: places, lineStyle: { color: c.tokens.edge } },
    axisLabel: axis.label(c, { customValues: places, formatter: (n: number) => percentileName(n) }),
    splitLine: { show: false },
    axisLine: { show: true, lineStyle: { color: c.tokens.edge } },
    name: say(p.width > 300 ? 'percentiles.long' : 'percentiles'),
    nameLocation: 'middle',
    nameGap: 28,
    nameTextStyle: { color: c.tokens.muted, fontSize: 12 },
  };
}

function timeAxis(c: Context, rows: Row[]): Option {
  const values = rows.flatMap((r) => [...r.curve.solid, ...r.curve.dashed].map(([, ms]) => ms)).filter((ms) => ms > 0);
  const hi = values.reduce((a, b) => Math.max(a, b), 1);
  // The fastest hundredth says nothing here and would take half of the height.
  const starts = rows.map((r) => valueAt(r.curve, nines(0.01))?.ms ?? hi).filter((ms) => ms > 0);
  return axis.log(c, 0, logRange(Math.min(hi, ...starts), hi), { axisLabel: { formatter: tickTime } });
}

function lines(c: Context, r: Row): Option[] {
  const base = { type: 'line', xAxisIndex: 0, yAxisIndex: 0, silent: true, itemStyle: { color: colourOf(c, r.arm) } };
  const style = { color: colourOf(c, r.arm), width: r.arm.baseline ? 2 : 2.5 };
  const dots = r.curve.total === 0;
  return [
    { ...base, data: r.curve.solid, showSymbol: dots, symbol: 'circle', symbolSize: 7, lineStyle: { ...style, type: patternOf(c, r.arm), opacity: dots ? 0.35 : 1 } },
    { ...base, data: r.curve.dashed, showSymbol: false, lineStyle: { ...style, type: [3, 4] } },
  ];
}

// Direct labels at the lines' ends, pushed apart where two arms end together.
function labels(c: Context, rows: Row[], p: Panel, at: (x: number, y: number) => [number, number]): Option {
  const ends = rows.map((r) => {
    const [x, y] = at(...(r.curve.dashed.at(-1) ?? r.curve.solid.at(-1)!));
    return { r, x, y, place: y };
  });
  ends.sort((a, b) => a.y - b.y);
  for (let i = 1; i < ends.length; i++) ends[i]!.place = Math.max(ends[i]!.y, ends[i - 1]!.place + 17);
  const left = p.x + p.width + 16;
  const names = ends.flatMap(({ r, x, y, place }) => [
    line(x + 3, y, left - 3, place, colourOf(c, r.arm), 1, { opacity: 0.6 }),
    text(c, r.arm.label, left, place, c.tokens.ink, { bold: true, size: 12.5, width: c.width - left }),
  ]);
  return group([text(c, say('response-time.head'), 0, 10, c.tokens.muted), ...names]);
}

function stops(c: Context, rows: Row[]): Stop[] {
  return rows.flatMap((r, i) =>
    probes(r).map((n): Stop => {
      const found = valueAt(r.curve, n)!;
      return { grid: 0, x: n, y: found.ms, row: i, group: `${n}`, tip: () => tipAt(c, rows, n, r.arm) };
    }),
  );
}

/** probes are the percentiles a reader can stop at: the usual ones, and nine to a decade. */
function probes(r: Row): number[] {
  if (r.curve.total === 0) return r.curve.solid.map(([n]) => n);
  const whole = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85].map(nines);
  const decades = [1, 2, 3, 4, 5].flatMap((d) => Array.from({ length: 9 }, (_, k) => d - Math.log10(1 - k / 10)));
  return [...whole, ...decades].filter((n) => valueAt(r.curve, n) !== null);
}

function tipAt(c: Context, rows: Row[], n: number, at: Arm): Tip {
  const base = rows.find((r) => r.arm.baseline);
  const zero = base && valueAt(base.curve, n);
  const list = rows.map((r) => {
    const found = valueAt(r.curve, n);
    const ratio = zero && found && r !== base ? `  ×${number(found.ms / zero.ms, 2)}` : '';
    const value = found ? `${milliseconds(found.ms)}${ratio}${found.sure ? '' : ` ${say('few')}`}` : say('too-few');
    return { colour: colourOf(c, r.arm), name: r.arm.label, value };
  });
  const rare = 1 / (1 - fraction(n));
  return { title: say('qualified', { name: percentileName(n), by: at.label }), rows: list, note: say('rare', { n: number(rare, rare < 10 ? 1 : 0) }) };
}
