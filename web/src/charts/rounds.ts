// Consistency across rounds. Left: throughput of each arm, a line per round. Right: the
// cost of each round on a zero of its own, with the interval (Gardner and Altman
// 1986; Ho et al. 2019). A trial without a value is shown as a mark below the plot,
// never left out: starving is a result of the arm.

import * as axis from '../axis';
import { colourOf } from '../arms';
import type { Option } from '../echart';
import { number, percent, rate, short } from '../format';
import type { Arm, Contrast, Model, Pair, Trial } from '../model';
import { costRange, fromZero, jitter, widen, type Range } from '../scale';
import { custom, dot, group, line, rect, text } from '../shape';
import { estimable, outcomeOf, stateOf, word } from '../states';
import type { Tip } from '../tip';
import { isNarrow, type Chart, type Context, type Panel, type Stop } from '../view';
import { tipOf } from './verdict-words';
import { vertical } from './vertical-glyph';
import { say } from '../words';

const HEIGHT = 260;
const HEAD = 34;
/** Below a plot: the strip of trials without a value, then the names. */
const STRIP = 20;
const FOOT = 58;

export const rounds: Chart = {
  name: 'rounds',
  rows: (m) => [['arm', 'round', 'cost_pct'], ...m.contrasts.flatMap((r) => r.pairs.map((p) => [r.arm.label, p.round, p.cost]))],
  help: 'help.rounds',
  draw(c) {
    if (!c.model.trials.length) return null;
    const contrasts = c.model.contrasts;
    const panels = place(c, contrasts.length);
    const levels = levelRange(c.model);
    const costs = costRangeOf(contrasts, c.model.margin);
    const second = contrasts.length > 0;
    return {
      height: Math.max(...panels.map((p) => p.y + p.height)) + FOOT,
      panels,
      hit: 'nearest',
      joined: [0],
      ringed: true,
      stops: [...trialStops(c.model), ...(second ? contrasts.flatMap((r, i) => pairStops(c, r, i)) : [])],
      option: {
        xAxis: panels.map((_, g) => axis.bare(g, -0.5, (g ? contrasts.length : c.model.arms.length) - 0.5)),
        yAxis: panels.map((_, g) => (g ? costAxis(c, costs) : levelAxis(c, levels))),
        series: [
          custom(0, (at) => left(c, panels[0]!, at)),
          ...(second ? [custom(1, (at) => right(c, contrasts, panels[1]!, costs, at))] : []),
        ],
      },
    };
  },
};

function place(c: Context, contrasts: number): Panel[] {
  const axisRoom = 58;
  if (!contrasts) return [{ x: axisRoom, y: HEAD, width: c.width - axisRoom - 10, height: HEIGHT }];
  const crowded = (c.width - 150) / (c.model.arms.length + contrasts) < 84;
  if (isNarrow(c.width) || crowded) {
    const width = c.width - axisRoom - 10;
    return [
      { x: axisRoom, y: HEAD, width, height: HEIGHT },
      { x: axisRoom, y: HEAD + HEIGHT + FOOT + HEAD, width, height: HEIGHT },
    ];
  }
  const room = c.width - 2 * axisRoom - 34;
  const share = (c.model.arms.length + 0.4) / (c.model.arms.length + contrasts + 0.4);
  const first = Math.round(room * Math.min(0.66, Math.max(0.5, share)));
  return [
    { x: axisRoom, y: HEAD, width: first, height: HEIGHT },
    { x: axisRoom + first + axisRoom + 24, y: HEAD, width: room - first, height: HEIGHT },
  ];
}

// Zero is on the axis when the data come near it; otherwise the range is that of
// the rounds: points and lines, unlike bars, do not promise a zero.
function levelRange(m: Model): Range {
  const values = m.trials.flatMap((t) => t.throughput ?? []);
  const max = values.reduce((a, b) => Math.max(a, b), 0);
  const min = values.reduce((a, b) => Math.min(a, b), max);
  if (min < 0.6 * max || max === 0) return fromZero(max, 5);
  const pad = Math.max(max - min, max * 0.02) * 0.12;
  return widen(min - pad, max + pad, 5);
}

function costRangeOf(rows: Contrast[], margin: number): Range {
  const seen = rows.filter(estimable);
  const costs = seen.flatMap((r) => [...r.pairs.map((p) => p.cost), r.cost]);
  return costRange(costs, seen.flatMap((r) => r.outer ?? []), margin);
}

function levelAxis(c: Context, range: Range): Option {
  return axis.value(c, 0, range, { axisLabel: axis.label(c, { formatter: short }) });
}

function costAxis(c: Context, range: Range): Option {
  const formatter = (v: number) => number(v, range.step < 1 ? 1 : 0);
  return axis.value(c, 1, range, { axisLabel: axis.label(c, { formatter }) });
}

type At = (x: number, y: number) => [number, number];

function left(c: Context, p: Panel, at: At): Option {
  const { tokens, model } = c;
  const numbers = [...new Set(model.trials.map((t) => t.round))];
  const slopes = numbers.flatMap((n) => slope(c, model.arms, model.trials.filter((t) => t.round === n), at));
  const bottom = p.y + p.height;
  const names = model.arms.map((a) => {
    const [x] = at(a.index, 0);
    return text(c, a.label, x, bottom + STRIP + 18, tokens.ink, { align: 'center', bold: a.baseline, width: p.width / model.arms.length - 6 });
  });
  const marks = model.trials.map((t) => trialMark(c, t, bottom, at));
  const lost = model.trials.some((t) => t.outcome !== 'measured');
  const strip = lost ? text(c, say('no-value'), 0, bottom + STRIP / 2 + 3, tokens.muted, { size: 11 }) : null;
  return group([text(c, say('throughput-unit'), 0, 12, tokens.muted), strip, ...slopes, ...marks, ...names]);
}

// A line joins neighbouring arms of one round only where both have a value.
function slope(c: Context, arms: Arm[], trials: Trial[], at: At): Option[] {
  const out: Option[] = [];
  for (let i = 1; i < arms.length; i++) {
    const from = trials.find((t) => t.arm === arms[i - 1])?.throughput;
    const to = trials.find((t) => t.arm === arms[i])?.throughput;
    if (from == null || to == null) continue;
    const [x1, y1] = at(i - 1, from);
    const [x2, y2] = at(i, to);
    out.push(line(x1, y1, x2, y2, c.tokens.edge, 1.25, { opacity: 0.55 }));
  }
  return out;
}

function trialMark(c: Context, t: Trial, bottom: number, at: At): Option {
  const measured = t.outcome === 'measured';
  if (measured && t.throughput !== null) {
    const [x, y] = at(t.arm.index, t.throughput);
    return dot(x, y, 4.5, colourOf(c, t.arm), { stroke: c.ground, lineWidth: 1.25 });
  }
  const { glyph, colour } = outcomeOf(t.outcome);
  const [x] = at(t.arm.index + jitter(t.round) * 0.3, 0);
  return text(c, glyph || '–', x, bottom + STRIP / 2 + 2, c.tokens[colour], { bold: true, size: 14, align: 'center' });
}

function right(c: Context, rows: Contrast[], p: Panel, range: Range, at: At): Option {
  const { tokens, model } = c;
  const bottom = p.y + p.height;
  const [, zero] = at(0, 0);
  const [, above] = at(0, model.margin);
  const [, below] = at(0, -model.margin);
  const columns = rows.map((r, i) => {
    const colour = tokens[stateOf(r.verdict).colour];
    const dots = drawn(r).map((pair) => {
      const [x, y] = at(i + jitter(pair.round) * 0.16 - 0.14, pair.cost);
      return dot(x, y, 4, colour, { opacity: 0.6 });
    });
    const span = { at: (v: number) => at(i, v)[1], from: at(i, range.max)[1], to: at(i, range.min)[1] };
    const name = text(c, r.arm.label, at(i, 0)[0], bottom + STRIP + 18, tokens.ink, { align: 'center', width: p.width / rows.length - 6 });
    return group([...dots, instead(c, r, at(i, 0)[0], above - 12, p.width / rows.length - 4), vertical(r, at(i + 0.16, 0)[0], span, c), name]);
  });
  return group([
    text(c, say('cost-of-rounds'), p.x - 46, p.y - HEAD + 12, tokens.muted),
    model.margin > 0 ? rect(p.x, above, p.width, below - above, tokens.neutral, 0.16) : null,
    line(p.x, zero, p.x + p.width, zero, tokens.ink, 1.5),
    ...columns,
  ]);
}

/** drawn is the rounds of a contrast whose state lets a number be shown. */
const drawn = (r: Contrast): Pair[] => (estimable(r) ? r.pairs : []);

function instead(c: Context, r: Contrast, x: number, y: number, width: number): Option | null {
  if (estimable(r)) return null;
  const state = stateOf(r.verdict);
  const style = { align: 'center', size: 11.5, width } as const;
  return text(c, `${state.glyph} ${word(state)}`, x, y, c.tokens[state.colour], style);
}

function trialStops(m: Model): Stop[] {
  const floor = levelRange(m);
  const strip = (floor.max - floor.min) * ((STRIP / 2 + 2) / HEIGHT);
  const sorted = [...m.trials].sort((a, b) => a.arm.index - b.arm.index || a.round - b.round);
  return sorted.map((t) => {
    const valued = t.outcome === 'measured' && t.throughput !== null;
    const x = valued ? t.arm.index : t.arm.index + jitter(t.round) * 0.3;
    const y = valued ? t.throughput! : floor.min - strip;
    return { grid: 0, x, y, row: t.arm.index, group: `round ${t.round}`, tip: () => trialTip(t) };
  });
}

function trialTip(t: Trial): Tip {
  const rows = [{ name: say('outcome'), value: word(outcomeOf(t.outcome)) }];
  if (t.throughput !== null) rows.unshift({ name: say('throughput'), value: say('tps', { x: rate(t.throughput) }) });
  return { title: say(t.slot ? 'round-slot' : 'round-of', { n: t.round, arm: t.arm.label, slot: t.slot }), rows, note: t.reason };
}

function pairStops(c: Context, r: Contrast, i: number): Stop[] {
  const row = c.model.arms.length + i;
  const each: Stop[] = drawn(r).map((p) => ({
    grid: 1,
    x: i + jitter(p.round) * 0.16 - 0.14,
    y: p.cost,
    row,
    group: `round ${p.round}`,
    tip: () => ({ title: say('round-against', { n: p.round, arm: r.arm.label, base: r.base.label }), rows: [{ name: say('cost'), value: percent(p.cost, 1) }] }),
  }));
  if (!estimable(r)) return each;
  return [...each, { grid: 1, x: i + 0.16, y: r.cost, row, tip: () => tipOf(r, c.model.margin) }];
}
