// Where does a transaction's time go? A bar an arm, its parts in one order from zero and
// on one scale. Parts that do not begin at one line cannot be compared by length
// (Cleveland & McGill 1984), so what each changed by stands below, as dots with intervals.

import * as axis from '../axis';
import { shown } from '../arms';
import { reach, seen, type Budget, type Spent } from '../budget';
import type { Option } from '../echart';
import { breadth, number, percent } from '../format';
import { hatch } from '../hatch';
import { fromZero } from '../scale';
import { custom, group, line, rect, text } from '../shape';
import type { Tip } from '../tip';
import { inkOn } from '../tokens';
import { armToggles } from '../tools';
import { isNarrow, type Chart, type Context, type Panel, type Stop } from '../view';
import { say } from '../words';
import { changeOf, changes, signed, spanOf } from './budget-changes';

const FOOT = 44;
const THICK = 20;
const KEY_LINE = 18;

type At = (x: number, y: number) => [number, number];

export const budget: Chart = {
  name: 'budget',
  help: 'help.budget',
  rows: (m) => [
    ['arm', 'part', 'ms', 'change_ms', 'lo95', 'hi95', 'rounds'],
    ...m.budgets.flatMap((b) => [b.whole, ...b.parts].map((s) => [b.arm.label, s.name, s.ms, s.change, ...(s.interval ?? [null, null]), s.rounds])),
  ],
  tools: armToggles,
  draw(c) {
    const on = new Set(shown(c));
    const rows = c.model.budgets.filter((b) => on.has(b.arm)).sort((a, b) => a.arm.threads - b.arm.threads);
    if (!rows.length) return null;
    const key = keyOf(c);
    const panel: Panel = { ...columns(c), y: key.height, height: rows.length * tall(c) };
    const range = fromZero(Math.max(...c.model.budgets.map(reach)), isNarrow(c.width) ? 4 : 8);
    const below = changes(c, rows, panel.y + panel.height + FOOT);
    const name = { name: 'ms', nameLocation: 'middle', nameGap: 24, nameTextStyle: { color: c.tokens.muted, fontSize: 12 } };
    return {
      height: below.foot,
      panels: [panel, ...below.panels],
      hit: 'nearest',
      stops: [...rows.flatMap((b, i) => stops(c, b, i)), ...below.stops],
      option: {
        xAxis: [axis.value(c, 0, range, name), ...below.xAxis],
        yAxis: [axis.bare(0, 0, rows.length, { inverse: true }), ...below.yAxis],
        series: [custom(0, (at) => group([...key.shapes, ...rows.map((b, i) => bar(c, b, i, panel, at)), ...bases(c, rows, at)])), ...below.series],
      },
    };
  },
};

const tall = (c: Context): number => (isNarrow(c.width) ? 50 : 38);
/** middle of a bar within its row: on a phone the words stand above it. */
const middle = (c: Context): number => (isNarrow(c.width) ? 34 : tall(c) / 2);
const fillOf = (c: Context, s: Spent): string => c.tokens.parts[s.place] ?? c.tokens.neutral;
const ms = (x: number): string => `${number(x, 3)}\u202fms`;

function columns(c: Context): { x: number; width: number } {
  if (isNarrow(c.width)) return { x: 10, width: c.width - 24 };
  const left = Math.min(200, Math.max(130, c.width * 0.18));
  return { x: left, width: c.width - left - 190 };
}

// The key stands above the bars, in the order of their parts; the two lines close it.
function keyOf(c: Context): { height: number; shapes: Option[] } {
  const start = columns(c).x;
  let [x, y] = [start, 10];
  const place = (words: string, mark: (x: number, y: number) => Option) => {
    const wide = 18 + breadth(words, 11.5) + 14;
    if (x > start && x + wide > c.width) [x, y] = [start, y + KEY_LINE];
    const shapes = [mark(x, y), text(c, words, x + 17, y, c.tokens.muted, { size: 11.5, width: Math.min(wide, c.width - x - 17) })];
    x += wide;
    return shapes;
  };
  const shapes = [
    ...seen(c.model.budgets).flatMap((s) => place(s.name, (left, mid) => fill(c, s, left, mid - 6, 12, 12))),
    ...place(say('budget.seen'), (left, mid) => line(left + 6, mid - 7, left + 6, mid + 7, c.tokens.ink, 2)),
    ...place(say('budget.base'), (left, mid) => line(left + 6, mid - 7, left + 6, mid + 7, c.tokens.ink, 1, { lineDash: [4, 3] })),
  ];
  return { height: y + 18, shapes };
}

function fill(c: Context, s: Spent, x: number, y: number, width: number, height: number): Option {
  const box = rect(x, y, width, height, fillOf(c, s));
  const pathData = c.patterned ? hatch(s.place, x, y, width, height) : '';
  return pathData ? group([box, { type: 'path', shape: { pathData }, style: { stroke: c.ground, lineWidth: 1.5, fill: 'none' } }]) : box;
}

function bar(c: Context, b: Budget, i: number, p: Panel, at: At): Option {
  const y = at(0, i)[1] + middle(c);
  let from = 0;
  const parts = b.parts.flatMap((s) => {
    const [left] = at(from, i);
    from += Math.max(0, s.ms);
    const [right] = at(from, i);
    return right - left < 0.3 ? [] : part(c, s, left, right - left, y);
  });
  const [end] = at(b.whole.ms, i);
  return group([...parts, line(end, y - THICK / 2 - 4, end, y + THICK / 2 + 4, c.tokens.ink, 2), ...words(c, b, p, y)]);
}

// A hair of the ground between parts; the number where it has room.
function part(c: Context, s: Spent, x: number, width: number, y: number): Option[] {
  const value = number(s.ms, s.ms < 1 ? 2 : 1);
  const ink = c.patterned ? '' : inkOn(fillOf(c, s));
  const box = fill(c, s, x, y - THICK / 2, width > 3 ? width - 1 : width, THICK);
  return ink && width > breadth(value, 11) + 10 ? [box, text(c, value, x + width / 2, y, ink, { size: 11, align: 'center' })] : [box];
}

function words(c: Context, b: Budget, p: Panel, y: number): Option[] {
  const { tokens } = c;
  const whole = ms(b.whole.ms);
  const change = b.whole.change === null ? '' : changeOf(b.whole);
  if (isNarrow(c.width)) {
    return [
      text(c, b.arm.label, p.x, y - 22, tokens.ink, { bold: true, size: 13, width: p.width * 0.7 }),
      text(c, whole, p.x + p.width, y - 22, tokens.ink, { align: 'right', size: 12, width: p.width * 0.3 }),
    ];
  }
  const right = p.x + p.width + 12;
  const room = c.width - right;
  return [
    text(c, b.arm.label, 0, y, tokens.ink, { bold: true, size: 13.5, width: p.x - 14 }),
    text(c, whole, right, change ? y - 8 : y, tokens.ink, { bold: true, size: 12.5, width: room }),
    ...(change ? [text(c, change, right, y + 8, tokens.muted, { size: 11, width: room })] : []),
  ];
}

// The baseline's response time runs through the rows of its level of the load.
function bases(c: Context, rows: Budget[], at: At): Option[] {
  return c.model.budgets
    .filter((b) => b.arm.baseline)
    .flatMap((b) => {
      const mine = rows.flatMap((r, i) => (r.arm.threads === b.arm.threads ? [i] : []));
      if (!mine.length) return [];
      const [x, top] = at(b.whole.ms, Math.min(...mine));
      const [, foot] = at(b.whole.ms, Math.max(...mine) + 1);
      return [line(x, top, x, foot, c.tokens.ink, 1, { lineDash: [4, 3] })];
    });
}

function stops(c: Context, b: Budget, i: number): Stop[] {
  let from = 0;
  return b.parts.flatMap((s): Stop[] => {
    const start = from;
    from += Math.max(0, s.ms);
    if (!(s.ms > 0)) return [];
    return [{ grid: 0, x: (start + from) / 2, wide: [start, from], y: i + middle(c) / tall(c), row: i, tip: () => tipOf(c, b, s) }];
  });
}

function tipOf(c: Context, b: Budget, s: Spent): Tip {
  const rows = [
    { colour: fillOf(c, s), name: say('budget.each'), value: ms(s.ms) },
    { name: say('budget.share'), value: percent((100 * s.ms) / b.whole.ms, 1) },
    ...(s.change === null ? [] : [{ name: say('budget.change'), value: `${signed(s.change)}\u202fms` }]),
    ...(s.interval ? [{ name: say('in95'), value: spanOf(s.interval) }] : []),
    ...(s.change === null ? [] : [{ name: say('paired'), value: number(s.rounds) }]),
  ];
  return { title: say('budget.part', { part: s.name, arm: b.arm.label }), rows };
}
