// What each part of a transaction's time changed by against the baseline: a row a part,
// in it a dot with its 95 % interval for each arm, on one zero.

import * as axis from '../axis';
import { colourOf } from '../arms';
import { seen, type Budget, type Spent } from '../budget';
import type { Option } from '../echart';
import { number } from '../format';
import { costRange, type Range } from '../scale';
import { custom, dot, group, line, text } from '../shape';
import type { Tip } from '../tip';
import { isNarrow, type Context, type Panel, type Stop } from '../view';
import { say } from '../words';
import { clamp, end, type Span } from './interval-glyph';

const HEAD = 34;
const FOOT = 44;
/** More arms than this stand closer, and without their numbers. */
const ROOMY = 6;

type At = (x: number, y: number) => [number, number];

/** Below is a panel to be put below another one; without panels when nothing was compared. */
export interface Below {
  foot: number;
  panels: Panel[];
  stops: Stop[];
  xAxis: Option[];
  yAxis: Option[];
  series: Option[];
}

/** Row is the whole transaction, or one part of it, in every arm that has it. */
interface Row {
  name: string;
  whole: boolean;
  cells: { budget: Budget; spent: Spent; lane: number }[];
}

/** changes of the budgets that have any; top is where the panel above ends. */
export function changes(c: Context, budgets: Budget[], top: number): Below {
  const arms = budgets.filter((b) => b.whole.change !== null);
  const rows = rowsOf(c, arms);
  if (!rows.length) return { foot: top, panels: [], stops: [], xAxis: [], yAxis: [], series: [] };
  const pitch = arms.length > ROOMY ? 9 : 14;
  const tall = Math.max(26, arms.length * pitch + 10);
  const left = isNarrow(c.width) ? 124 : Math.min(220, Math.max(150, c.width * 0.2));
  const panel = { x: left, y: top + HEAD, width: c.width - left - (isNarrow(c.width) ? 14 : 190), height: rows.length * tall };
  const range = rangeOf(c.model.budgets);
  const place = (k: number, lane: number) => k + 0.5 + ((lane - (arms.length - 1) / 2) * pitch) / tall;
  return {
    foot: panel.y + panel.height + FOOT,
    panels: [panel],
    stops: rows.flatMap((r, k) => r.cells.map((x): Stop => ({ grid: 1, x: inside(x.spent.change!, range), y: place(k, x.lane), row: 1000 + k, tip: () => tipOf(c, r, x.budget, x.spent) }))),
    xAxis: [axis.value(c, 1, range, { axisLabel: { formatter: (v: number) => number(v, Math.max(0, Math.ceil(-Math.log10(range.step)))) } })],
    yAxis: [axis.bare(1, 0, rows.length, { inverse: true })],
    series: [custom(1, (at) => group([...frame(c, panel, at), ...rows.flatMap((r, k) => row(c, r, panel, range, (x, lane) => at(x, place(k, lane)), at(0, k), arms.length))]))],
  };
}

function rowsOf(c: Context, arms: Budget[]): Row[] {
  const make = (name: string, whole: boolean, find: (b: Budget) => Spent | undefined): Row => ({
    name,
    whole,
    cells: arms.flatMap((budget, lane) => {
      const spent = find(budget);
      return spent && spent.change !== null ? [{ budget, spent, lane }] : [];
    }),
  });
  const parts = seen(c.model.budgets).map((s) => make(s.name, false, (b) => b.parts.find((p) => p.name === s.name)));
  return [make(say('budget.whole'), true, (b) => b.whole), ...parts].filter((r) => r.cells.length > 0);
}

// The scale is that of all arms, hidden ones too.
function rangeOf(budgets: readonly Budget[]): Range {
  const all = budgets.flatMap((b) => [b.whole, ...b.parts]).filter((s) => s.change !== null);
  const range = costRange(all.map((s) => s.change!), all.flatMap((s) => s.interval ?? []), 0);
  return range.max > range.min ? range : { min: -1, max: 1, step: 1 };
}

const inside = (v: number, range: Range): number => Math.max(range.min, Math.min(range.max, v));
/** signed is a change with its sign. */
export const signed = (v: number): string => `${v > 0 ? '+' : ''}${number(v, 3)}`;

/** spanOf an interval in words. */
export const spanOf = ([lo, hi]: [number, number]): string => say('between', { lo: number(lo, 3), hi: number(hi, 3) });

/** changeOf is a change with its interval, as short as a picture needs it. */
export function changeOf(s: Spent): string {
  const span = s.interval ? ` [${number(s.interval[0], 3)}, ${number(s.interval[1], 3)}]` : '';
  return `${signed(s.change ?? 0)}${span}`;
}

function frame(c: Context, p: Panel, at: At): Option[] {
  const [zero] = at(0, 0);
  const bottom = p.y + p.height;
  return [
    text(c, say('budget.changes'), 0, p.y - 18, c.tokens.ink, { bold: true, size: 12.5, width: c.width }),
    line(zero, p.y - 4, zero, bottom + 4, c.tokens.ink, 1.5),
    text(c, say('budget.longer'), p.x + p.width, bottom + 34, c.tokens.muted, { align: 'right' }),
  ];
}

function row(c: Context, r: Row, p: Panel, range: Range, at: At, [, top]: [number, number], lanes: number): Option[] {
  const span: Span = { at: (v) => at(v, 0)[0], from: at(range.min, 0)[0], to: at(range.max, 0)[0] };
  const y = (at(0, 0)[1] + at(0, lanes - 1)[1]) / 2;
  return [
    line(0, top, c.width, top, c.tokens.grid, 1),
    text(c, r.name, p.x - 10, y, c.tokens.ink, { align: 'right', bold: r.whole, size: isNarrow(c.width) ? 11.5 : 12.5, width: p.x - 12 }),
    ...r.cells.flatMap((x) => glyph(c, x.budget, x.spent, at(0, x.lane)[1], span)),
    ...(isNarrow(c.width) || lanes > ROOMY ? [] : r.cells.map((x) => text(c, r.whole ? x.budget.arm.label : changeOf(x.spent), p.x + p.width + 12, at(0, x.lane)[1], r.whole ? c.tokens.ink : c.tokens.muted, { size: 11, bold: r.whole, width: c.width - p.x - p.width - 12 }))),
  ];
}

function glyph(c: Context, b: Budget, s: Spent, y: number, span: Span): Option[] {
  const colour = colourOf(c, b.arm);
  const bounds = s.interval ? [line(clamp(s.interval[0], span), y, clamp(s.interval[1], span), y, colour, 2), ...s.interval.map((v) => end(v, y, span, colour))] : [];
  return [...bounds, dot(clamp(s.change!, span), y, 4, colour, { stroke: c.ground, lineWidth: 1 })];
}

function tipOf(c: Context, r: Row, b: Budget, s: Spent): Tip {
  const rows = [
    { colour: colourOf(c, b.arm), name: say('budget.change'), value: `${signed(s.change!)}\u202fms` },
    ...(s.interval ? [{ name: say('in95'), value: spanOf(s.interval) }] : []),
    { name: say('budget.each'), value: `${number(s.ms, 3)}\u202fms` },
    { name: say('paired'), value: number(s.rounds) },
  ];
  return { title: say('budget.part', { part: r.name, arm: b.arm.label }), rows };
}
