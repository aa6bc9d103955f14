// What did the server and the machine do meanwhile? Metrics on the clock of the
// throughput above, which narrows with them: a dip there is read off here.

import * as axis from '../axis';
import { colourOf, patternOf, shown } from '../arms';
import type { Option } from '../echart';
import { number, plain, short } from '../format';
import { first, type Metric, type Span } from '../probes';
import { widen, type Range } from '../scale';
import { custom, group, polygon } from '../shape';
import { armToggles, chooser, hint } from '../tools';
import type { Chart, Context, Panel, Stop, View } from '../view';
import { say, type Word } from '../words';

const AXIS = 64;
const HEAD = 34;
const TALL = 96;
const FOOT = 46;
/** How many of the metrics that differ most are shown unasked. */
const UNASKED = 3;

export const probes: Chart = {
  name: 'probes',
  help: 'help.probes',
  rows: (m) => [
    ['metric', 'unit', 'arm', 'end_s', 'mean', 'low', 'high'],
    ...m.probes.flatMap((p) => p.arms.flatMap((a) => a.spans.map((s) => [p.name, p.unit, a.arm.label, s.end, s.mean, s.low, s.high]))),
  ],
  tools: (page) => {
    const entries = page.model.probes.map((p): [string, () => string] => [p.name, () => titleOf(p)]);
    const unasked = first(page.model.probes, UNASKED);
    const said = unasked[0]?.rank === 0 ? 'metrics' : 'metrics.apart';
    return [chooser(page.store, 'metric', () => say(said, { n: unasked.length }), entries), ...armToggles(page), hint('zoom')];
  },
  draw: (c) => strips(c, chosen(c), 1),
};

/** strips are a panel a metric, in as many columns, all on one clock. */
export function strips(c: Context, metrics: Metric[], columns: number): View | null {
  const last = c.model.probes.flatMap((p) => p.arms.flatMap((a) => a.spans.at(-1)?.end ?? [])).reduce((a, b) => Math.max(a, b), 0);
  if (!metrics.length || !last) return null;
  const x = c.choices.span ?? [0, last];
  const across = Math.min(columns, metrics.length);
  const panels = metrics.map((_, i) => place(c, i, across));
  return {
    height: panels.at(-1)!.y + TALL + FOOT,
    panels,
    hit: 'column',
    crosshair: panels.map((_, i) => i),
    zoomable: true,
    stops: metrics.flatMap((m, grid) => stops(c, m, grid, x)),
    option: {
      xAxis: metrics.map((_, g) => axis.seconds(c, g, x, panels[g]!, g >= metrics.length - across ? say('seconds-since') : '')),
      yAxis: metrics.map((m, g) => valueAxis(c, m, g, panels[g]!)),
      series: metrics.flatMap((m, g) => [custom(g, (at) => bands(c, m, x, at), { data: [[x[0], 0]] }), ...lines(c, m, g)]),
    },
  };
}

function place(c: Context, i: number, columns: number): Panel {
  const width = c.width / columns;
  return { x: (i % columns) * width + AXIS, y: HEAD + Math.floor(i / columns) * (TALL + HEAD + 6), width: width - AXIS - 12, height: TALL };
}

function chosen(c: Context): Metric[] {
  const one = c.model.probes.find((p) => p.name === c.choices.metric);
  if (one) return [one];
  return first(c.model.probes, UNASKED);
}

const armsOf = (c: Context, m: Metric) => {
  const on = new Set(shown(c));
  return m.arms.filter((a) => on.has(a.arm));
};

// Zero belongs to the axis: without it every wobble looks like a cliff.
function rangeOf(m: Metric): Range {
  const all = m.arms.flatMap((a) => a.spans);
  return widen(Math.min(0, ...all.map((s) => s.low)), Math.max(0, ...all.map((s) => s.high)), 3);
}

/** Units that are words; a symbol is the same in all languages. */
const UNITS: Readonly<Record<string, Word>> = { bytes: 'unit.bytes', 'bytes/s': 'unit.bytes/s', pages: 'unit.pages', 'pages/s': 'unit.pages/s' };

const unitOf = (m: Metric): string => (Object.hasOwn(UNITS, m.unit) ? say(UNITS[m.unit]!) : m.unit);

const titleOf = (m: Metric): string => (m.unit ? say('qualified', { name: m.label, by: unitOf(m) }) : m.label);

function valueAxis(c: Context, m: Metric, g: number, p: Panel): Option {
  const title = titleOf(m);
  return axis.value(c, g, rangeOf(m), {
    name: plain(m.help && p.width > 560 ? `${title} – ${m.help}` : title),
    nameLocation: 'end',
    nameGap: 12,
    nameTextStyle: { color: c.tokens.ink, fontSize: 12.5, fontWeight: 600, align: 'left', padding: [0, 0, 0, -AXIS + 2] },
    nameTruncate: { maxWidth: p.width + AXIS, ellipsis: '…' },
    axisLabel: { formatter: short },
  });
}

function lines(c: Context, m: Metric, g: number): Option[] {
  return armsOf(c, m).map(({ arm, spans }) => ({
    type: 'line',
    xAxisIndex: g,
    yAxisIndex: g,
    data: spans.map((s) => [middle(spans, s), s.mean]),
    showSymbol: spans.length === 1,
    silent: true,
    clip: true,
    itemStyle: { color: colourOf(c, arm) },
    lineStyle: { color: colourOf(c, arm), width: 1.6, type: patternOf(c, arm) },
  }));
}

/** middle of a span: all are as long as the first. */
const middle = (spans: readonly Span[], s: Span): number => s.end - (spans.length > 1 ? spans[1]!.end - spans[0]!.end : s.end) / 2;

// Every reading lies in the band. It is cut at the panel's sides by hand: a custom
// series is not clipped.
function bands(c: Context, m: Metric, [min, max]: [number, number], at: (x: number, y: number) => [number, number]): Option {
  return group(
    armsOf(c, m).map(({ arm, spans }) => {
      const inside = spans.filter((s) => middle(spans, s) >= min && middle(spans, s) <= max);
      const top = inside.map((s) => at(middle(spans, s), s.high));
      const foot = inside.map((s) => at(middle(spans, s), s.low)).reverse();
      return polygon([...top, ...foot], colourOf(c, arm), { opacity: 0.14 });
    }),
  );
}

function stops(c: Context, m: Metric, grid: number, [min, max]: [number, number]): Stop[] {
  const arms = armsOf(c, m);
  return arms.flatMap(({ arm, spans }, i) =>
    spans.flatMap((s): Stop[] => {
      const x = middle(spans, s);
      if (x < min || x > max) return [];
      const rows = () => arms.flatMap((a) => {
        const here = a.spans.find((o) => o.end === s.end);
        return here ? [{ colour: colourOf(c, a.arm), name: a.arm.label, value: `${brief(here.mean)} (${say('between', { lo: brief(here.low), hi: brief(here.high) })})` }] : [];
      });
      return [{ grid, x, y: s.mean, row: grid * 100 + i, tip: () => ({ title: say('up-to', { metric: m.label, s: number(s.end), arm: arm.label }), rows: rows(), note: say('mean-range', { unit: unitOf(m) }) }) }];
    }),
  );
}

const brief = (v: number): string => (Math.abs(v) >= 1e4 || Number.isInteger(v) ? short(v) : number(v, Math.abs(v) < 10 ? 2 : 1));
