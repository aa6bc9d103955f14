// Cost: one row per contrast on one scale: interval, margin band, zero.

import type { Option } from '../echart';
import { breadth, milliseconds, percent, places, rate, wrap } from '../format';
import type { Contrast } from '../model';
import { costRange, jitter, ticks, type Range } from '../scale';
import { dot, group, line, polygon, rect, text, custom } from '../shape';
import { estimable, stateOf, word } from '../states';
import { toggle } from '../tools';
import { isNarrow, type Chart, type Context, type Panel, type Stop } from '../view';
import * as axis from '../axis';
import { horizontal, type Span } from './interval-glyph';
import { headline, support, tipOf } from './verdict-words';
import { say } from '../words';

const TOP = 30;
const BOTTOM = 52;

export const intervals: Chart = {
  name: 'intervals',
  rows: (m) => [
    ['arm', 'baseline', 'cost_pct', 'lo95', 'hi95', 'lo90', 'hi90', 'rounds', 'verdict', 'reason'],
    ...m.contrasts.map((r) => [r.arm.label, r.base.label, estimable(r) ? r.cost : null, ...(r.outer ?? [null, null]), ...(r.inner ?? [null, null]), r.rounds, r.verdict, r.reason]),
  ],
  help: 'help.intervals',
  tools: ({ model, store }) =>
    model.contrasts.some((c) => c.pairs.length > 1)
      ? [toggle(store, 'show-rounds', (c) => c.rounds, (on) => ({ rounds: on }))]
      : [],
  draw(c) {
    const rows = c.model.contrasts;
    if (!rows.length) return null;
    const range = rangeOf(c, rows);
    const rowHeight = (isNarrow(c.width) ? 78 : 62) + (c.choices.rounds ? 26 : 0);
    const panel = panelOf(c, rows.length * rowHeight);
    return {
      height: TOP + panel.height + BOTTOM,
      panels: [panel],
      hit: 'row',
      ringed: true,
      stops: rows.flatMap((r, i) => stopsOf(c, r, i, range)),
      option: {
        xAxis: [axis.costs(c, 0, range)],
        yAxis: [axis.bare(0, 0, rows.length, { inverse: true })],
        series: [
          custom(0, (at) => frame(c, panel, range, at)),
          ...rows.map((r, i) => custom(0, (at) => row(c, r, i, panel, range, at))),
        ],
      },
    };
  },
};

function rangeOf(c: Context, rows: Contrast[]): Range {
  const drawn = rows.filter(estimable);
  const costs = drawn.map((r) => r.cost);
  const bounds = drawn.flatMap((r) => r.outer ?? []);
  const rounds = c.choices.rounds ? drawn.flatMap((r) => r.pairs.map((p) => p.cost)) : [];
  return costRange(costs, [...bounds, ...rounds], c.model.margin);
}

function panelOf(c: Context, height: number): Panel {
  if (isNarrow(c.width)) return { x: 14, y: TOP, width: c.width - 28, height };
  const left = Math.min(250, Math.max(210, c.width * 0.24));
  const right = Math.min(280, Math.max(205, c.width * 0.26));
  return { x: left, y: TOP, width: c.width - left - right, height };
}

type At = (x: number, y: number) => [number, number];

// The zero line says whose zero it is; the margin was fixed before the first trial.
function frame(c: Context, p: Panel, range: Range, at: At): Option {
  const { tokens, model } = c;
  const [zero] = at(0, 0);
  const [lo] = at(-model.margin, 0);
  const [hi] = at(model.margin, 0);
  const bases = new Set(model.contrasts.map((r) => r.base.label.replace(/ ×\d+$/, '')));
  const whose = bases.size === 1 ? [...bases][0]! : say('baseline');
  const bottom = p.y + p.height;
  const band = model.margin > 0 ? `  ·  ${say('band', { margin: percent(model.margin, places(model.margin)) })}` : '';
  const ends = ticks(range).length > 1;
  return group([
    ...bands(c, p, at).flatMap(([top, height]) => [
      model.margin > 0 ? rect(lo, top, hi - lo, height, tokens.neutral, 0.16) : null,
      model.margin > 0 ? line(lo, top, lo, top + height, tokens.neutral, 1, { lineDash: [2, 3] }) : null,
      model.margin > 0 ? line(hi, top, hi, top + height, tokens.neutral, 1, { lineDash: [2, 3] }) : null,
      line(zero, top, zero, top + height, tokens.ink, 1.5),
    ]),
    text(c, `${whose} = 0${isNarrow(c.width) ? '' : band}`, clampText(zero, p), p.y - 17, tokens.muted, { align: zero > p.x + p.width * 0.6 ? 'right' : 'left' }),
    ends ? text(c, say('axis.faster'), p.x, bottom + 38, tokens.muted) : null,
    ends ? text(c, say('axis.slower'), p.x + p.width, bottom + 38, tokens.muted, { align: 'right' }) : null,
    ends ? text(c, say(p.width > 430 ? 'lost' : 'of-baseline'), p.x + p.width / 2, bottom + 38, tokens.muted, { align: 'center' }) : null,
  ]);
}

// On a narrow page words stand above each glyph, and the zero line spares them.
function bands(c: Context, p: Panel, at: At): [number, number][] {
  if (!isNarrow(c.width)) return [[p.y - 6, p.height + 6]];
  return c.model.contrasts.map((_, i) => {
    const [, top] = at(0, i);
    const [, next] = at(0, i + 1);
    return [top + 43, next - top - 50];
  });
}

const clampText = (x: number, p: Panel): number => (x > p.x + p.width * 0.6 ? x + 4 : x - 4);

function row(c: Context, r: Contrast, i: number, p: Panel, range: Range, at: At): Option {
  const y = glyphY(c, i, at);
  const edges = { from: at(range.min, i)[0], to: at(range.max, i)[0] };
  const span: Span = { at: (cost) => at(cost, i)[0], ...edges };
  const [, top] = at(0, i);
  const separator = i > 0 ? line(0, top, c.width, top, c.tokens.grid, 1) : null;
  const dots = c.choices.rounds && estimable(r) ? rounds(c, r, y + 26, span) : null;
  return group([separator, ...words(c, r, i, p, at), dots, instead(c, r, y, p), horizontal(r, y, span, c)]);
}

// Where a state has no estimate, its reason stands in the estimate's place.
function instead(c: Context, r: Contrast, y: number, p: Panel): Option | null {
  if (estimable(r)) return null;
  const state = stateOf(r.verdict);
  const words = say('no-estimate', { why: r.reason || word(state) });
  // Text broken into lines is placed by its box; short text sits better in the middle.
  const short = breadth(words) < p.width - 24;
  const lines = short ? words : wrap(words, p.width - 24, 2).join('\n');
  return text(c, lines, short ? p.x + p.width / 2 : p.x + 8, y, c.tokens[state.colour], { align: short ? 'center' : 'left', width: p.width - 16, backed: true });
}

function glyphY(c: Context, i: number, at: At): number {
  const [, top] = at(0, i);
  return top + (isNarrow(c.width) ? 56 : 31);
}

function words(c: Context, r: Contrast, i: number, p: Panel, at: At): Option[] {
  const { tokens } = c;
  const colour = tokens[stateOf(r.verdict).colour];
  const [, top] = at(0, i);
  if (isNarrow(c.width)) {
    const half = p.width / 2 - 4;
    return [
      text(c, r.arm.label, p.x, top + 17, tokens.ink, { bold: true, size: 13.5, width: half }),
      text(c, headline(r), p.x + p.width, top + 17, colour, { bold: true, size: 13.5, align: 'right', width: half + 30 }),
      text(c, support(r), p.x + p.width, top + 34, tokens.muted, { align: 'right', width: p.width }),
    ];
  }
  const right = p.x + p.width + 22;
  const room = c.width - right;
  return [
    text(c, r.arm.label, 0, top + 16, tokens.ink, { bold: true, size: 14, width: p.x - 18 }),
    ...absolute(r).map((figures, k) => text(c, figures, 0, top + 34 + 16 * k, tokens.muted, { width: p.x - 18 })),
    text(c, headline(r), right, top + 22, colour, { bold: true, size: 14.5, width: room }),
    text(c, support(r), right, top + 41, tokens.muted, { width: room }),
  ];
}

/** absolute figures of the arm, and of its baseline in brackets: what a cost is a part of. */
function absolute(r: Contrast): string[] {
  const { arm, base } = r;
  const lines: string[] = [];
  if (arm.mean !== null && base.mean !== null) lines.push(say('absolute.tps', { x: rate(arm.mean), base: rate(base.mean) }));
  const [a, b] = [arm.p95, base.p95];
  if (a !== null && b !== null) lines.push(say('absolute.p95', { x: milliseconds(a), base: milliseconds(b) }));
  return lines.length ? lines : [say('against-base', { base: base.label })];
}

// Rounds off the axis are small triangles at its end, not left out.
function rounds(c: Context, r: Contrast, y: number, span: Span): Option {
  const colour = c.tokens[stateOf(r.verdict).colour];
  return group(
    r.pairs.map((p) => {
      const x = span.at(p.cost);
      const cy = y + jitter(p.round) * 7;
      if (x < span.from) return polygon([[span.from - 4, cy], [span.from + 3, cy - 4], [span.from + 3, cy + 4]], colour);
      if (x > span.to) return polygon([[span.to + 4, cy], [span.to - 3, cy - 4], [span.to - 3, cy + 4]], colour);
      return dot(x, cy, 3.5, colour, { opacity: 0.65 });
    }),
  );
}

function stopsOf(c: Context, r: Contrast, i: number, range: Range): Stop[] {
  const rowHeight = (isNarrow(c.width) ? 78 : 62) + (c.choices.rounds ? 26 : 0);
  const centre = (isNarrow(c.width) ? 56 : 31) / rowHeight;
  const inside = (x: number) => Math.max(range.min, Math.min(range.max, x));
  const main: Stop = { grid: 0, x: inside(estimable(r) ? r.cost : 0), y: i + centre, row: 2 * i, tip: () => tipOf(r, c.model.margin) };
  if (!c.choices.rounds || !estimable(r)) return [main];
  const each = r.pairs.map((p) => ({
    grid: 0,
    x: inside(p.cost),
    y: i + centre + (26 + jitter(p.round) * 7) / rowHeight,
    row: 2 * i + 1,
    group: `round ${p.round}`,
    tip: () => ({ title: say('round-of', { n: p.round, arm: r.arm.label }), rows: [{ name: say('cost'), value: percent(p.cost, 1) }] }),
  }));
  return [main, ...each];
}
