// What did an event do, and which part of the outage was what? A panel an event: the rounds' throughput over each other,
// and below it a bar for each round, with the parts of its time without service on the same axis.

import * as axis from '../axis';
import { colourOf, shown } from '../arms';
import type { Option } from '../echart';
import type { Course, Happening, Stretch } from '../events';
import { breadth, number, rate, short } from '../format';
import { hatch } from '../hatch';
import { fromZero, type Range } from '../scale';
import { custom, group, line, rect, text } from '../shape';
import type { Tip } from '../tip';
import { armToggles } from '../tools';
import type { Chart, Context, Panel, Stop } from '../view';
import { say, type Word } from '../words';

const HEAD = 44;
const TALL = 120;
const BAR = 9;
const FOOT = 46;
const AXIS = 52;
const KEY_LINE = 18;
/** After an outage the waiting transactions of an open load are made up for at once: the axis ends at so many times the usual throughput. */
const HIGHEST = 2;

type At = (x: number, y: number) => [number, number];

/** The order in which parts follow each other. */
const parts: readonly [name: string, word: Word][] = [
  ['shutdown', 'event-part.shutdown'],
  ['container', 'event-part.container'],
  ['start', 'event-part.start'],
  ['detection', 'event-part.detection'],
  ['failover', 'event-part.failover'],
  ['routing', 'event-part.routing'],
  ['reconnect', 'event-part.reconnect'],
  ['unknown', 'event-part.unknown'],
  ['first', 'event-part.first'],
  ['event', 'event-part.event'],
];
const names = parts.map(([name]) => name);
/** A place is a colour and a pattern. The new container of a pod has that of the detection of a failover: no event has both. */
const places = names.filter((n) => n !== 'container');
const placeOf = (name: string): number => Math.max(0, places.indexOf(name === 'container' ? 'detection' : name));
const wordOf = (name: string): string => {
  const part = parts.find(([known]) => known === name);
  return part ? say(part[1]) : name;
};
const fillOf = (c: Context, name: string): string => c.tokens.parts[placeOf(name)] ?? c.tokens.neutral;
const seconds = (n: number): string => say('events.lasts', { n: number(n, 2) });

export const events: Chart = {
  name: 'events',
  help: 'help.events',
  rows: (m) => [
    ['event', 'round', 'from_s', 'to_s', 'tx_per_s', 'part'],
    ...m.events.flatMap((e) => [
      ...e.courses.flatMap((r) => r.tps.map((v, i) => [e.title, r.round, round(e.from + i * e.step), round(e.from + (i + 1) * e.step), v, null])),
      ...e.courses.flatMap((r) => r.parts.map((p) => [e.title, r.round, p.from, p.to, null, wordOf(p.name)])),
    ]),
  ],
  tools: armToggles,
  draw(c) {
    const on = new Set(shown(c));
    const all = c.model.events.filter((e) => on.has(e.arm));
    if (!all.length) return null;
    const key = keyOf(c, all);
    let y = key.height + HEAD;
    const panels = all.flatMap((e): Panel[] => {
      const [x, width] = [AXIS, c.width - AXIS - 12];
      const upper = { x, y, width, height: TALL };
      const lower = { x, y: y + TALL + 6, width, height: Math.max(1, e.courses.length) * BAR };
      y = lower.y + lower.height + FOOT + HEAD;
      return [upper, lower];
    });
    // One event of several arms has one scale, so that the panels can be compared by eye.
    const alike = (e: Happening): Happening[] => all.filter((o) => o.number === e.number);
    const tops = all.map((e) => fromZero(Math.max(...alike(e).map(topOf)), 3));
    const spans = all.map((e): [number, number] => [Math.min(...alike(e).map((o) => o.from)), Math.max(...alike(e).map(endOf))]);
    return {
      height: y - HEAD,
      panels,
      hit: 'row',
      crosshair: panels.map((_, i) => i),
      stops: all.flatMap((e, i) => e.courses.flatMap((r, k) => stops(c, e, i, r, k))),
      option: {
        xAxis: all.flatMap((_, i) => {
          const span = spans[i]!;
          return [axis.bare(2 * i, ...span), axis.seconds(c, 2 * i + 1, span, panels[2 * i + 1]!, say('events.zero'))];
        }),
        yAxis: all.flatMap((e, i) => [axis.value(c, 2 * i, tops[i]!, { axisLabel: axis.label(c, { formatter: short }) }), axis.bare(2 * i + 1, 0, Math.max(1, e.courses.length), { inverse: true })]),
        series: all.flatMap((e, i) => [
          custom(2 * i, (at) => group([...(i ? [] : key.shapes), ...course(c, e, tops[i]!, panels[2 * i]!, at)])),
          custom(2 * i + 1, (at) => group([...e.courses.flatMap((r, k) => bar(c, r, k, at)), zero(c, panels[2 * i]!, panels[2 * i + 1]!, at)])),
        ]),
      },
    };
  },
};

const round = (x: number): number => Math.round(x * 1000) / 1000;
const endOf = (e: Happening): number => e.from + e.step * Math.max(1, ...e.courses.map((r) => r.tps.length));

function topOf(e: Happening): number {
  const most = e.courses.reduce((m, r) => r.tps.reduce<number>((n, v) => Math.max(n, v ?? 0), m), 0);
  return e.usual > 0 ? Math.min(most, HIGHEST * e.usual) : most;
}

/** cut says whether a value is above the axis. */
const cut = (e: Happening, top: Range): boolean => e.courses.some((r) => r.tps.some((v) => (v ?? 0) > top.max));

// A line a round, in steps: a bin has one value. A bin that is not known breaks it.
function course(c: Context, e: Happening, top: Range, p: Panel, at: At): Option[] {
  const note = cut(e, top) ? say('events.higher') : '';
  const room = p.x + p.width;
  const title = text(c, e.title, 0, p.y - 30, c.tokens.ink, { bold: true, size: 13, width: c.width });
  const unit = text(c, say('throughput-unit') + (note ? ` · ${note}` : ''), 0, p.y - 13, c.tokens.muted, { size: 11.5, width: room });
  const lines = e.courses.map((r): Option => {
    let pathData = '';
    r.tps.forEach((v, i) => {
      if (v === null) return;
      const height = Math.min(v, top.max);
      const [x1, y] = at(e.from + i * e.step, height);
      const [x2] = at(e.from + (i + 1) * e.step, height);
      pathData += `${i && r.tps[i - 1] !== null ? 'L' : 'M'}${x1.toFixed(1)} ${y.toFixed(1)}L${x2.toFixed(1)} ${y.toFixed(1)}`;
    });
    return { type: 'path', shape: { pathData }, style: { stroke: colourOf(c, e.arm), lineWidth: 1.25, fill: 'none', opacity: e.courses.length > 1 ? 0.6 : 1 } };
  });
  return [title, unit, ...lines];
}

// Where the event began, through both panels.
function zero(c: Context, upper: Panel, lower: Panel, at: At): Option {
  const [x] = at(0, 0);
  return line(x, upper.y, x, lower.y + lower.height, c.tokens.ink, 1, { lineDash: [4, 3] });
}

function bar(c: Context, r: Course, k: number, at: At): Option[] {
  return r.parts.flatMap((p) => {
    const [left, y] = at(p.from, k);
    const [right] = at(p.to, k);
    return right - left < 0.3 ? [] : [fill(c, p.name, left, y + 1, right - left, BAR - 2)];
  });
}

function fill(c: Context, name: string, x: number, y: number, width: number, height: number): Option {
  const box = rect(x, y, width, height, fillOf(c, name));
  const pathData = c.patterned ? hatch(placeOf(name), x, y, width, height) : '';
  return pathData ? group([box, { type: 'path', shape: { pathData }, style: { stroke: c.ground, lineWidth: 1.5, fill: 'none' } }]) : box;
}

// The parts that any round has, each with its word.
function keyOf(c: Context, all: Happening[]): { height: number; shapes: Option[] } {
  const seen = new Set(all.flatMap((e) => e.courses.flatMap((r) => r.parts.map((p) => p.name))));
  let [x, y] = [0, 10];
  const shapes = names.filter((n) => seen.has(n)).flatMap((n) => {
    const wide = 18 + breadth(wordOf(n), 11.5) + 14;
    if (x > 0 && x + wide > c.width) [x, y] = [0, y + KEY_LINE];
    const mark = [fill(c, n, x, y - 6, 12, 12), text(c, wordOf(n), x + 17, y, c.tokens.muted, { size: 11.5 })];
    x += wide;
    return mark;
  });
  return { height: shapes.length ? y + 10 : 0, shapes };
}

function stops(c: Context, e: Happening, i: number, r: Course, k: number): Stop[] {
  return r.parts.map((p) => ({
    grid: 2 * i + 1,
    x: (p.from + p.to) / 2,
    wide: [p.from, p.to],
    y: k + 0.5,
    row: 1000 * i + k,
    tip: () => tipOf(c, e, r, p),
  }));
}

function tipOf(c: Context, e: Happening, r: Course, p: Stretch): Tip {
  const rows = [
    { colour: fillOf(c, p.name), name: wordOf(p.name), value: seconds(p.to - p.from) },
    { name: say('events.span'), value: say('events.from-to', { lo: number(p.from, 2), hi: number(p.to, 2) }) },
    { name: say('events.before'), value: say('tps', { x: rate(e.usual) }) },
  ];
  return { title: say('events.round', { n: r.round, event: e.title }), rows };
}
