// Response times over the seconds of a trial, a panel per arm: how dark a cell is says
// which share of that second's requests it holds. A share, not a count: in a second in
// which the server stood still few are answered, and those few are what matters. One
// scale of colours for all panels (Gregg, "Visualizing System Latency", CACM 2010).
//
// Cells of one shade are one path, so the picture stays sharp on paper and small to
// copy; a canvas would be neither.

import * as axis from '../axis';
import { shown } from '../arms';
import type { Option } from '../echart';
import { milliseconds, number, percent, tickTime } from '../format';
import { quantile, type Column } from '../heat';
import type { Arm } from '../model';
import { logRange, type LogRange } from '../scale';
import { custom, group, line, rect, text } from '../shape';
import { armToggles, hint } from '../tools';
import { isNarrow, type Chart, type Context, type Panel, type Stop } from '../view';
import { say } from '../words';

/** Room above the first panel for the key, which takes two lines on a phone. */
const TOP = 44;
const TOP_NARROW = 62;
const FOOT = 42;
const LEFT = 62;
const GAP = 34;
/** Between panels side by side, which share one axis of response times. */
const ASIDE = 16;
/** Smallest share of each shade but the first, which is anything at all. */
const SHADES = [0, 0.003, 0.01, 0.03, 0.1, 0.3];

interface Row {
  arm: Arm;
  spans: Column[];
}

type At = (x: number, y: number) => [number, number];

export const heat: Chart = {
  name: 'heat',
  help: 'help.heat',
  rows: (m) => [
    ['arm', 'from_s', 'to_s', 'from_ms', 'to_ms', 'requests'],
    ...m.heat.columns.flatMap(({ arm, spans }) => spans.flatMap((s) => s.cells.map((c) => [arm.label, s.from, s.to, c.low, c.high, Math.round(c.share * s.total)]))),
  ],
  tools: (page) => [...armToggles(page), hint('zoom')],
  draw(c) {
    const on = new Set(shown(c));
    const rows = c.model.heat.columns.filter((r) => on.has(r.arm) && r.spans.length);
    const all = c.model.heat.columns.flatMap((r) => r.spans);
    if (!rows.length) return null;
    const range = rangeOf(all);
    const x: [number, number] = c.choices.span ?? [0, Math.max(...all.map((s) => s.to))];
    const { columns, panels } = place(c, rows.length);
    const lowest = panels.at(-1)!;
    let visited: Stop[] | null = null;
    const edge = (i: number): Edge => ({ left: i % columns === 0, bottom: i + columns >= rows.length, named: panels[i]!.y === lowest.y });
    return {
      height: lowest.y + lowest.height + FOOT,
      panels,
      hit: 'column',
      crosshair: panels.map((_, i) => i),
      zoomable: true,
      // Most readers visit none.
      get stops() {
        return (visited ??= rows.flatMap((r, i) => stops(r, i, x)));
      },
      option: {
        xAxis: rows.map((_, i) => axis.seconds(c, i, x, panels[i]!, edge(i).named ? say('seconds-since') : '', edge(i).bottom)),
        yAxis: rows.map((_, i) => axis.log(c, i, range, { axisLabel: { show: edge(i).left, formatter: tickTime }, splitLine: { show: false } })),
        series: rows.map((r, i) => custom(i, (at) => cells(c, r, panels[i]!, x, at, i === 0), { data: [[x[0], range.min]] })),
      },
    };
  },
};

/** Edge says where a panel stands: axes are labelled once for all panels. */
interface Edge {
  left: boolean;
  bottom: boolean;
  named: boolean;
}

// Of many arms the panels stand side by side, lower and narrower: to compare them they
// must be on one screen, and what is too fine to see is a zoom away.
function place(c: Context, arms: number): { columns: number; panels: Panel[] } {
  const narrow = isNarrow(c.width);
  const columns = narrow || arms <= 6 ? 1 : arms <= 12 || c.width < 900 ? 2 : 3;
  const tall = columns > 1 ? 150 - 22 * columns : arms <= 6 ? (narrow ? 120 : 150) : 64;
  const top = narrow ? TOP_NARROW : TOP;
  const width = (c.width - LEFT - 14 - (columns - 1) * ASIDE) / columns;
  const panels = Array.from({ length: arms }, (_, i) => ({ x: LEFT + (i % columns) * (width + ASIDE), y: top + Math.floor(i / columns) * (tall + GAP), width, height: tall }));
  return { columns, panels };
}

// By a loop: a day of twenty arms has more cells than a call may have arguments.
function rangeOf(all: Column[]): LogRange {
  let [min, max] = [Infinity, 0];
  for (const s of all) {
    for (const cell of s.cells) {
      min = Math.min(min, cell.low);
      max = Math.max(max, cell.high);
    }
  }
  return logRange(min, max);
}

function cells(c: Context, r: Row, p: Panel, [min, max]: [number, number], at: At, first: boolean): Option {
  const paths = SHADES.map(() => '');
  for (const s of r.spans) {
    if (s.to <= min || s.from >= max) continue;
    for (const run of runs(s)) {
      const [left, foot] = at(Math.max(s.from, min), run.low);
      const [right, top] = at(Math.min(s.to, max), run.high);
      // Cells meet: without the overlap the ground shines through as a lattice.
      const [w, h] = [(right - left + 0.4).toFixed(1), (foot - top + 0.4).toFixed(1)];
      paths[run.shade] += `M${left.toFixed(1)} ${top.toFixed(1)}h${w}v${h}h-${w}z`;
    }
  }
  const { warmup } = c.model.heat;
  const end = warmup !== null && warmup > min ? at(Math.min(warmup, max), 1)[0] : null;
  return group([
    ...paths.map((pathData, i) => (pathData ? { type: 'path', shape: { pathData }, style: { fill: c.tokens.heat[i]! } } : null)),
    end === null ? null : line(end, p.y, end, p.y + p.height, c.tokens.ink, 1, { lineDash: [4, 3] }),
    end === null || end - p.x < 110 ? null : text(c, say('warm-up'), end - 4, p.y + 9, c.tokens.ink, { align: 'right', size: 11, backed: true }),
    text(c, r.arm.label, p.x, p.y - 11, c.tokens.ink, { bold: true, size: 12.5, width: p.width }),
    ...(first ? key(c) : []),
  ]);
}

// Neighbours of one shade are drawn as one: a picture of a day takes a fifth of the time.
function runs(s: Column): { low: number; high: number; shade: number }[] {
  const all: { low: number; high: number; shade: number }[] = [];
  for (const { low, high, share } of s.cells) {
    const shade = shadeOf(share);
    const last = all.at(-1);
    if (last?.shade === shade && last.high === low) last.high = high;
    else all.push({ low, high, shade });
  }
  return all;
}

const shadeOf = (share: number): number => SHADES.findLastIndex((least) => share >= least);

/** key says which shade is which share; it stands above all panels. */
function key(c: Context): Option[] {
  const pitch = 46;
  const start = c.width - 14 - SHADES.length * pitch;
  const [words, squares] = isNarrow(c.width) ? [c.width - 14, 28] : [start - 8, 10];
  return [
    text(c, say('heat.key'), words, 10, c.tokens.muted, { align: 'right', size: 11.5, width: words }),
    ...SHADES.flatMap((least, i) => [
      rect(start + i * pitch, squares - 6, 11, 11, c.tokens.heat[i]!),
      text(c, shadeName(least, i === SHADES.length - 1), start + i * pitch + 14, squares, c.tokens.muted, { size: 10.5 }),
    ]),
  ];
}

/** shadeName is the least share of a shade in %; the last one says so. */
function shadeName(least: number, last: boolean): string {
  if (!least) return '> 0';
  const decimals = least < 0.01 ? 1 : 0;
  return `≥ ${last ? percent(100 * least, decimals) : number(100 * least, decimals)}`;
}

function stops(r: Row, grid: number, [min, max]: [number, number]): Stop[] {
  return r.spans.flatMap((s): Stop[] => {
    const x = (s.from + s.to) / 2;
    if (x < min || x > max) return [];
    const most = (q: number) => `≤ ${milliseconds(quantile(s, q))}`;
    const rows = [
      { name: 'p50', value: most(0.5) },
      ...(s.total >= 1000 ? [{ name: 'p99', value: most(0.99) }] : []),
      { name: say('heat.longest'), value: most(1) },
      { name: say('heat.slow'), value: percent(100 * s.cells.filter((k) => k.low >= 10 * quantile(s, 0.5)).reduce((sum, k) => sum + k.share, 0), 2) },
      { name: say('heat.seen'), value: number(s.total) },
    ];
    return [{ grid, x, y: quantile(s, 0.5), row: grid, group: `${s.to}`, tip: () => ({ title: say('heat.cell', { arm: r.arm.label, from: number(s.from), to: number(s.to) }), rows }) }];
  });
}
