// Was it steady? Small multiples on one scale: a panel per arm with a line per round,
// or a strip per trial. Throughput and latency stand side by side on axes of their
// own; two axes on one plot would let the author choose where lines cross.

import * as axis from '../axis';
import { colourOf, patternOf, shown } from '../arms';
import type { Option } from '../echart';
import { milliseconds, number, percent, plain, rate, short, tickTime } from '../format';
import type { Arm, Second, Trial } from '../model';
import { fromZero, logRange, type LogRange, type Range } from '../scale';
import { custom, group, line, polygon, text } from '../shape';
import { outcomeOf, word } from '../states';
import type { Tip } from '../tip';
import { armToggles, hint, toggle } from '../tools';
import type { Chart, Context, Stop } from '../view';
import { byArm, strips, type Cell } from './series-layout';
import { fromStart, nearest, points, span, step, together, warmupEnd, type Metric } from './series-data';
import { list, say } from '../words';

export const series: Chart = {
  name: 'series',
  rows: (m) => [
    ['trial', 'round', 'arm', 'end_s', 'tx_per_s', 'latency_ms', 'warmup'],
    ...m.trials.flatMap((t) => t.seconds.map((s) => [t.id, t.round, t.arm.label, s.t, s.tps, s.latency, s.warmup])),
  ],
  help: 'help.series',
  tools: (page) => {
    const repeated = new Set(page.model.trials.map((t) => t.round)).size > 1;
    const each = toggle(page.store, 'strips', (c) => c.strips, (on) => ({ strips: on }));
    return [...armToggles(page), ...(repeated ? [each] : []), hint('zoom')];
  },
  draw(c) {
    if (!c.model.trials.some((t) => t.seconds.length)) return null;
    const shared = together(c.model.trials);
    const own = (a: Arm): Arm => ({ ...a, trials: a.trials.map(fromStart) });
    const arms = shown(c)
      .filter((a) => a.trials.length)
      .map((a) => (shared ? a : own(a)));
    const trials = arms.flatMap((a) => a.trials);
    const { cells, height } = (c.choices.strips ? strips : byArm)(c, arms);
    const x = c.choices.span ?? span(trials);
    const y = { tps: tpsRange(c), latency: latencyRange(trials) };
    let visited: Stop[] | null = null;
    return {
      height,
      panels: cells.map((cell) => cell.panel),
      hit: 'column',
      crosshair: cells.map((_, i) => i),
      joined: cells.map((_, i) => i),
      zoomable: true,
      // A day has a hundred thousand of them, and most readers visit none.
      get stops() {
        return (visited ??= stops(cells, x, trials, c));
      },
      option: {
        xAxis: cells.map((cell, g) => axis.seconds(c, g, x, cell.panel, cell.last ? say(shared ? 'seconds-since' : 'seconds-since-first') : '')),
        yAxis: cells.map((cell, g) => valueAxis(c, cell, g, y)),
        series: cells.flatMap((cell, g) => [...lines(c, cell, g, x), ...levels(c, cell, g), ...changes(c, cell, g, x), ...silence(c, cell, g)]),
      },
    };
  },
};

// The scale is that of all arms, hidden ones too: switching an arm off must not move
// the others.
function tpsRange(c: Context): Range {
  const max = c.model.trials.reduce((m, t) => t.seconds.reduce((n, s) => Math.max(n, s.tps ?? 0), m), 0);
  return fromZero(max, 3);
}

function latencyRange(trials: Trial[]): LogRange {
  let [lo, hi] = [Infinity, 0];
  for (const s of trials.flatMap((t) => t.seconds)) {
    if (!s.latency) continue;
    lo = Math.min(lo, s.latency);
    hi = Math.max(hi, s.latency);
  }
  return hi ? logRange(lo, hi) : { min: 1, max: 10 };
}

function valueAxis(c: Context, cell: Cell, g: number, y: { tps: Range; latency: LogRange }): Option {
  const title = {
    name: plain(cell.title),
    nameLocation: 'end',
    nameGap: 12,
    nameTextStyle: { color: c.tokens.ink, fontSize: 12.5, fontWeight: 600, align: 'left', padding: [0, 0, 0, cell.first ? -cell.inset + 2 : 0] },
    nameTruncate: { maxWidth: cell.panel.width + cell.inset, ellipsis: '…' },
  };
  const formatter = cell.metric === 'tps' ? short : tickTime;
  const more = { ...title, axisLabel: { show: cell.first, formatter } };
  const tps = cell.low ? { ...y.tps, step: y.tps.max } : y.tps;
  return cell.metric === 'tps' ? axis.value(c, g, tps, more) : axis.log(c, g, y.latency, more);
}

// All rounds of a panel are one line with breaks between them: they share a colour,
// and a line of its own for each of some hundred trials takes a second to set up.
function lines(c: Context, cell: Cell, g: number, x: [number, number]): Option[] {
  const drawn = cell.trials.filter((t) => t.seconds.length);
  const arm = drawn[0]?.arm;
  if (!arm) return [];
  const each = drawn.map((t) => points(t, cell.metric));
  const data = each.flatMap((p) => [...p, [p.at(-1)![0], null] as [number, null]]);
  const end = warmupEnd(cell.trials);
  return [
    {
      type: 'line',
      xAxisIndex: g,
      yAxisIndex: g,
      data,
      showSymbol: each.every((p) => p.length <= 24),
      symbol: 'circle',
      symbolSize: 4,
      connectNulls: false,
      silent: true,
      clip: true,
      itemStyle: { color: colourOf(c, arm) },
      lineStyle: { color: colourOf(c, arm), width: 1.3, opacity: drawn.length > 2 ? 0.75 : 1, type: patternOf(c, arm) },
      ...(end === null ? {} : { markArea: warmup(c, end, cell, x) }),
    },
  ];
}

// The levels that an arm jumps between: its mean is neither.
function levels(c: Context, cell: Cell, g: number): Option[] {
  const arm = cell.trials[0]?.arm;
  if (cell.metric !== 'tps' || !arm?.states.length) return [];
  const { x, width } = cell.panel;
  return [
    custom(g, (at) =>
      group(
        arm.states.flatMap((s) => {
          const y = at(0, s.level)[1];
          const words = text(c, say('level-for', { x: short(s.level), share: percent(100 * s.share, 0) }), x + width - 4, y - 8, c.tokens.ink, { align: 'right', size: 11, backed: true });
          return [line(x, y, x + width, y, c.tokens.ink, 1, { lineDash: [5, 4], opacity: 0.7 }), ...(cell.low || width < 220 ? [] : [words])];
        }),
      ),
    ),
  ];
}

// Where the level of a trial changes for good: a mark on the axis of time, because a
// line through the panel would hide what it points at.
function changes(c: Context, cell: Cell, g: number, [min, max]: [number, number]): Option[] {
  const found = cell.trials.filter((t) => t.change !== null && t.change >= min && t.change <= max);
  if (cell.metric !== 'tps' || !found.length) return [];
  const foot = cell.panel.y + cell.panel.height;
  return [
    custom(g, (at) =>
      group(
        found.flatMap((t) => {
          const x = at(t.change!, 0)[0];
          return [polygon([[x, foot - 9], [x - 5, foot], [x + 5, foot]], c.tokens.cost), line(x, foot - 9, x, foot - 22, c.tokens.cost, 1.5)];
        }),
      ),
    ),
  ];
}

// An arm that never answered has a panel of its own that says so: an arm that is
// left out looks like one that was not tried.
function silence(c: Context, cell: Cell, g: number): Option[] {
  if (cell.trials.some((t) => t.seconds.length)) return [];
  const ends = list([...new Set(cell.trials.map((t) => word(outcomeOf(t.outcome))))]);
  const { x, y, width, height } = cell.panel;
  const words = cell.trials.length ? say('no-drawn', { why: ends }) : say('no-trial');
  return [custom(g, () => text(c, words, x + width / 2, y + height / 2, c.tokens.cost, { align: 'center', width: width - 12, size: 12.5, backed: true }))];
}

// Shaded and named: a reader must see what was not counted.
function warmup(c: Context, end: number, cell: Cell, [min]: [number, number]): Option {
  const roomy = !cell.low && cell.panel.width > 260 && end > min;
  const label = { show: roomy && cell.topmost, position: 'insideTopLeft', color: c.tokens.muted, fontSize: 11, formatter: say('warm-up') };
  return {
    silent: true,
    itemStyle: { color: c.tokens.neutral, opacity: 0.14 },
    label,
    data: [[{ xAxis: min }, { xAxis: Math.max(min, end) }]],
  };
}

function stops(cells: Cell[], [min, max]: [number, number], trials: Trial[], c: Context): Stop[] {
  const out: Stop[] = [];
  cells.forEach((cell, grid) => {
    for (const t of cell.trials) {
      for (const s of t.seconds) {
        const y = s[cell.metric];
        if (y === null || s.t < min || s.t > max) continue;
        const row = (cell.metric === 'tps' ? 0 : 1e6) + t.id;
        out.push({ grid, x: s.t, y, row, group: `trial ${t.id}`, tip: () => tipAt(s, t, cell.metric, trials, c) });
      }
    }
  });
  return out;
}

// The arms of the same round side by side: they were neighbours in time.
function tipAt(second: Second, at: Trial, metric: Metric, trials: Trial[], c: Context): Tip {
  const mates = trials.filter((t) => t.round === at.round);
  const rows = mates.flatMap((t) => {
    const s = t === at ? second : nearest(t.seconds, second.t);
    const v = s?.[metric];
    const value = v == null ? say('no-value') : metric === 'tps' ? say('tps', { x: rate(v) }) : milliseconds(v);
    return [{ colour: colourOf(c, t.arm), name: t.arm.label, value }];
  });
  const moved = at.change === null ? '' : say('level-changes', { s: Math.round(at.change) });
  return { title: say('second-of', { s: number(second.t, step(at.seconds) < 1 ? 1 : 0), n: at.round, arm: at.arm.label }), rows, note: second.warmup ? say('warm-up') : moved };
}
