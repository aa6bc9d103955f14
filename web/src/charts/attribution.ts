// Cost by layer: a waterfall: each layer's points from where the one before
// ended, what is left unexplained, and the total from zero.

import type { Option } from '../echart';
import { decimals, number } from '../format';
import type { Attribution, Step } from '../model';
import { widen, type Range } from '../scale';
import { custom, group, line, rect, text } from '../shape';
import type { Tip } from '../tip';
import { isNarrow, type Chart, type Context, type Panel, type Stop } from '../view';
import * as axis from '../axis';
import { say } from '../words';

const TOP = 26;
const BOTTOM = 52;
const ROW = 40;
/** Between the waterfalls of two levels of the load. */
const GAP = 40;

export const attribution: Chart = {
  name: 'attribution',
  rows: (m) => [
    ['comparison', 'part', 'cost_points', 'lo95', 'hi95', 'share'],
    ...m.attributions.flatMap((a) => a.steps.map((s) => [a.title, s.name, s.cost, ...s.outer, s.shared ? s.share : null])),
  ],
  help: 'help.attribution',
  draw(c) {
    const all = c.model.attributions;
    if (!all.length) return null;
    const range = rangeOf(all);
    let y = TOP;
    const panels = all.map((a) => {
      const panel = panelOf(c, y, a.steps.length * ROW);
      y += panel.height + BOTTOM + GAP;
      return panel;
    });
    return {
      height: y - GAP,
      panels,
      hit: 'row',
      stops: all.flatMap((a, grid) => a.steps.map((s, i) => stopOf(a, s, i, grid, range))),
      option: {
        xAxis: all.map((_, grid) => axis.costs(c, grid, range)),
        yAxis: all.map((a, grid) => axis.bare(grid, 0, a.steps.length, { inverse: true })),
        series: all.map((a, grid) => custom(grid, (at) => waterfall(c, a, panels[grid]!, at))),
      },
    };
  },
};

function rangeOf(all: Attribution[]): Range {
  const ends = all.flatMap((a) => a.steps.flatMap((s) => [s.from, s.to, s.from + s.outer[0], s.from + s.outer[1]]));
  const clip = (x: number) => Math.max(-100, Math.min(100, x));
  return widen(Math.min(0, ...ends.map(clip)), Math.max(0, ...ends.map(clip)), 6);
}

function panelOf(c: Context, y: number, height: number): Panel {
  const left = isNarrow(c.width) ? 96 : Math.min(220, Math.max(130, c.width * 0.2));
  const right = isNarrow(c.width) ? 58 : Math.min(220, Math.max(170, c.width * 0.2));
  return { x: left, y, width: c.width - left - right, height };
}

function waterfall(c: Context, a: Attribution, p: Panel, at: (x: number, y: number) => [number, number]): Option {
  const { tokens } = c;
  const [zero] = at(0, 0);
  const bottom = p.y + p.height;
  const title = c.model.attributions.length > 1 || !isNarrow(c.width) ? a.title : '';
  return group([
    line(zero, p.y - 4, zero, bottom + 4, tokens.ink, 1.5),
    title ? text(c, title, 0, p.y - 15, tokens.muted, { width: c.width * 0.7 }) : null,
    text(c, say('axis.slower'), p.x + p.width, bottom + 38, tokens.muted, { align: 'right' }),
    ...a.steps.map((s, i) => step(c, a, s, i, p, at)),
  ]);
}

function step(c: Context, a: Attribution, s: Step, i: number, p: Panel, at: (x: number, y: number) => [number, number]): Option {
  const { tokens } = c;
  const inside = (v: number) => Math.max(p.x, Math.min(p.x + p.width, at(v, i)[0]));
  const [, y] = at(0, i + 0.5);
  const [from, to] = [inside(Math.min(s.from, s.to)), inside(Math.max(s.from, s.to))];
  const colour = s.total ? tokens.neutral : s.cost < 0 ? tokens.gain : tokens.cost;
  const [lo, hi] = [inside(s.from + s.outer[0]), inside(s.from + s.outer[1])];
  const last = i === a.steps.length - 1;
  const size = number(s.cost, digits(a));
  const words = isNarrow(c.width) ? size : `${size} [${number(s.outer[0], digits(a))}, ${number(s.outer[1], digits(a))}]`;
  return group([
    rect(from, y - 9, Math.max(1, to - from), 18, colour),
    line(lo, y, hi, y, tokens.ink, 1.5),
    line(lo, y - 4, lo, y + 4, tokens.ink, 1.5),
    line(hi, y - 4, hi, y + 4, tokens.ink, 1.5),
    last ? null : line(inside(s.to), y + 9, inside(s.to), y + ROW - 9, tokens.edge, 1, { lineDash: [2, 2] }),
    text(c, s.name, p.x - 10, y, tokens.ink, { align: 'right', bold: s.total, size: 13, width: p.x - 12 }),
    text(c, words, p.x + p.width + 10, y, tokens.ink, { bold: s.total, size: 12.5 }),
  ]);
}

/** digits: those of the total's interval serve all parts, two at most. */
function digits(a: Attribution): number {
  return Math.min(2, Math.max(...a.steps.map((s) => decimals(...s.outer))));
}

function stopOf(a: Attribution, s: Step, i: number, grid: number, range: Range): Stop {
  const x = Math.max(range.min, Math.min(range.max, s.to));
  return { grid, x, y: i + 0.5, row: grid * 100 + i, tip: () => tipOf(a, s) };
}

function tipOf(a: Attribution, s: Step): Tip {
  const d = digits(a);
  const span = ([lo, hi]: [number, number]) => say('between', { lo: number(lo, d), hi: number(hi, d) });
  const rows = [
    { name: say('points'), value: number(s.cost, d) },
    { name: say('in95'), value: span(s.outer) },
  ];
  if (s.share !== null) rows.push({ name: say('share'), value: s.shared ? say('percent', { x: number(100 * s.share) }) : say('refused') });
  if (s.order) rows.push({ name: say('any-order'), value: span(s.order) });
  if (s.back !== null) rows.push({ name: say('returns'), value: number(s.back, d) });
  return { title: s.name, rows, note: a.title };
}
