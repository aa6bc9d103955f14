// How does it scale? Throughput by the number of threads with every round and the
// fitted law; below it latency and cost on the same threads. Three panels, not two
// axes on one.

import * as axis from '../axis';
import { colourOf, patternOf, shown } from '../arms';
import type { Option } from '../echart';
import { milliseconds, number, percent, rate, short, tickTime } from '../format';
import type { Arm, Contrast, Knee, Model, Scaling } from '../model';
import { costRange, fromZero, jitter, logRange } from '../scale';
import { custom, dot, group, line, polygon, rect, text } from '../shape';
import { estimable } from '../states';
import type { Tip } from '../tip';
import { armToggles } from '../tools';
import { isNarrow, type Chart, type Context, type Panel, type Stop } from '../view';
import { say, type Word } from '../words';

const HEAD = 34;
const FOOT = 46;
const AXIS = 58;

type At = (x: number, y: number) => [number, number];

/** Curve is one arm over the levels of the load. */
interface Curve {
  name: string;
  levels: Arm[];
  law: Scaling | null;
  knee: Knee | null;
}

export const scaling: Chart = {
  name: 'scaling',
  help: 'help.scaling',
  rows: (m) => [
    ['arm', 'threads', 'tx_per_s', 'law_tx_per_s', 'p99_ms', 'cost_pct', 'lo95', 'hi95', 'saturated_threads', 'saturated_lo95', 'saturated_hi95'],
    ...curvesOf(m.arms, m).flatMap((k) =>
      k.levels.map((a) => {
        const r = m.contrasts.find((x) => x.arm === a);
        return [k.name, a.threads, a.mean, k.law?.at(a.threads) ?? null, p99(a), r && estimable(r) ? r.cost : null, ...(r?.outer ?? [null, null]), k.knee?.threads ?? null, ...(k.knee?.interval ?? [null, null])];
      }),
    ),
  ],
  tools: armToggles,
  draw(c) {
    const curves = curvesOf(shown(c), c.model);
    const threads = [...new Set(c.model.arms.map((a) => a.threads))].sort((a, b) => a - b);
    if (threads.length < 2 || !c.model.arms.some((a) => a.mean !== null)) return null;
    const timed = c.model.arms.some((a) => p99(a) !== null);
    const priced = c.model.contrasts.filter(estimable);
    const panels = place(c, [230, timed ? 130 : 0, priced.length ? 130 : 0]);
    const kinds = ['tps', ...(timed ? ['p99'] : []), ...(priced.length ? ['cost'] : [])];
    return {
      height: Math.max(...panels.map((p) => p.y + p.height)) + FOOT,
      panels,
      hit: 'nearest',
      crosshair: panels.map((_, i) => i),
      ringed: true,
      stops: kinds.flatMap((kind, g) => stops(c, curves, kind, g)),
      option: {
        xAxis: kinds.map((_, g) => threadAxis(c, g, threads, g === kinds.length - 1)),
        yAxis: kinds.map((kind, g) => valueAxis(c, kind, g)),
        series: kinds.map((kind, g) => custom(g, (at) => draw(c, kind, curves, panels[g]!, at), { data: [[threads[0]!, 1]] })),
      },
    };
  },
};

function curvesOf(arms: Arm[], m: Model): Curve[] {
  return [...new Set(arms.map((a) => a.name))].map((name) => ({
    name: arms.find((a) => a.name === name)!.label.replace(/ ×\d+$/, ''),
    levels: arms.filter((a) => a.name === name && a.mean !== null).sort((a, b) => a.threads - b.threads),
    law: m.scalings.find((s) => s.arm === name) ?? null,
    knee: m.knees.find((k) => k.arm === name) ?? null,
  }));
}

const p99 = (a: Arm): number | null => a.percentiles.find(([p]) => p === 99)?.[1] ?? null;

function place(c: Context, heights: number[]): Panel[] {
  let y = HEAD;
  const right = isNarrow(c.width) ? 12 : 150;
  return heights.filter(Boolean).map((height) => {
    const panel = { x: AXIS, y, width: c.width - AXIS - right, height };
    y += height + HEAD + 8;
    return panel;
  });
}

// Doubling the threads is a step: the axis is one of powers of two.
function threadAxis(c: Context, g: number, threads: number[], last: boolean): Option {
  const min = threads[0]! / 1.15;
  const max = threads.at(-1)! * 1.15;
  const title = last ? { name: say('threads-axis'), nameLocation: 'middle', nameGap: 26, nameTextStyle: { color: c.tokens.muted, fontSize: 12 } } : {};
  return {
    ...axis.value(c, g, { min, max, step: max }),
    type: 'log',
    logBase: 2,
    axisLine: { show: true, onZero: false, lineStyle: { color: c.tokens.edge } },
    splitLine: { show: false },
    axisTick: { show: true, customValues: threads, lineStyle: { color: c.tokens.edge } },
    axisLabel: axis.label(c, { show: last, customValues: threads, formatter: (n: number) => `${Math.round(n)}` }),
    ...title,
  };
}

function valueAxis(c: Context, kind: string, g: number): Option {
  const m = c.model;
  if (kind === 'tps') {
    const most = Math.max(...m.trials.map((t) => t.throughput ?? 0), ...m.arms.map((a) => a.mean ?? 0));
    return axis.value(c, g, fromZero(most, 4), { axisLabel: { formatter: short } });
  }
  if (kind === 'p99') {
    const all = m.arms.flatMap((a) => p99(a) ?? []);
    return axis.log(c, g, logRange(Math.min(...all), Math.max(...all)), { axisLabel: { formatter: tickTime } });
  }
  const priced = m.contrasts.filter(estimable);
  const range = costRange(priced.map((r) => r.cost), priced.flatMap((r) => r.outer ?? []), m.margin);
  return axis.value(c, g, range, { axisLabel: { formatter: (v: number) => number(v, range.step < 1 ? 1 : 0) } });
}

const TITLES: Record<string, Word> = {
  tps: 'scaling.tps',
  p99: 'scaling.p99',
  cost: 'scaling.cost',
};

function draw(c: Context, kind: string, curves: Curve[], p: Panel, at: At): Option {
  const title = text(c, say(TITLES[kind]!), 0, p.y - 18, c.tokens.ink, { bold: true, size: 12.5, width: c.width });
  const one = { tps: throughput, p99: tail, cost: costs }[kind]!;
  return group([title, ...(kind === 'cost' ? margin(c, p, at) : []), ...curves.flatMap((k, i) => one(c, k, at, i - (curves.length - 1) / 2)), ...(kind === 'tps' ? [...curves.flatMap((k, i) => saturation(c, k, p, at, i)), ...names(c, curves, p, at)] : [])]);
}

function throughput(c: Context, k: Curve, at: At): Option[] {
  const first = k.levels[0];
  const last = k.levels.at(-1);
  if (!first || !last) return [];
  const colour = colourOf(c, first);
  const dots = k.levels.flatMap((a) =>
    a.trials.flatMap((t) => {
      if (t.throughput === null) return [];
      const [x, y] = at(a.threads, t.throughput);
      return [dot(x + 4 * jitter(t.round), y, 2.5, colour, { opacity: 0.55 })];
    }),
  );
  const means = k.levels.map((a) => dot(...at(a.threads, a.mean!), 4.5, colour, { stroke: c.ground, lineWidth: 1.5 }));
  return [curveOf(c, k, first, last, at), ...dots, ...means];
}

// The law where there is one, dashed where it does not describe the arm; else the
// means joined.
function curveOf(c: Context, k: Curve, first: Arm, last: Arm, at: At): Option {
  const steps = 64;
  const law = k.law;
  const place = (i: number) => first.threads * (last.threads / first.threads) ** (i / steps);
  const points = law
    ? Array.from({ length: steps + 1 }, (_, i) => at(place(i), law.at(place(i))))
    : k.levels.map((a) => at(a.threads, a.mean!));
  const pattern = patternOf(c, first);
  const lineDash = law?.misfit ? [3, 4] : pattern === 'solid' ? null : pattern;
  return { type: 'polyline', shape: { points }, style: { stroke: colourOf(c, first), lineWidth: 2, fill: 'none', ...(lineDash ? { lineDash } : {}) } };
}

function tail(c: Context, k: Curve, at: At): Option[] {
  const points = k.levels.flatMap((a): [number, number][] => {
    const ms = p99(a);
    return ms === null ? [] : [at(a.threads, ms)];
  });
  if (!points.length) return [];
  const colour = colourOf(c, k.levels[0]!);
  return [{ type: 'polyline', shape: { points }, style: { stroke: colour, lineWidth: 2, fill: 'none' } }, ...points.map(([x, y]) => dot(x, y, 4, colour))];
}

function margin(c: Context, p: Panel, at: At): Option[] {
  const [, zero] = at(1, 0);
  const [, top] = at(1, c.model.margin);
  const [, foot] = at(1, -c.model.margin);
  return [rect(p.x, top, p.width, foot - top, c.tokens.neutral, 0.16), line(p.x, zero, p.x + p.width, zero, c.tokens.ink, 1.5)];
}

// Arms of one level stand side by side, so that no interval hides another.
function costs(c: Context, k: Curve, at: At, place: number): Option[] {
  return k.levels.flatMap((a) => {
    const r = c.model.contrasts.find((x) => x.arm === a);
    if (!r || !estimable(r)) return [];
    const [mid, y] = at(a.threads, r.cost);
    const x = mid + 9 * place;
    const colour = colourOf(c, a);
    const ends = r.outer?.map((v) => at(a.threads, v)[1]);
    return [ends ? line(x, ends[0]!, x, ends[1]!, colour, 2) : null, dot(x, y, 4.5, colour)].filter((o) => o !== null);
  });
}

// Where an arm is saturated: a diamond above the axis on its interval, and a thin line up to the curve. The
// axis ends at the largest level, and so does the interval.
function saturation(c: Context, k: Curve, p: Panel, at: At, i: number): Option[] {
  const first = k.levels[0];
  const knee = k.knee;
  if (!first || !knee?.threads || !knee.interval) return [];
  const colour = colourOf(c, first);
  const inside = (x: number) => Math.min(p.x + p.width, Math.max(p.x, x));
  const place = (n: number) => inside(at(n, 0)[0]);
  const x = place(knee.threads);
  const y = p.y + p.height - 8 - 9 * i;
  const [lo, hi] = [place(knee.interval[0]), place(knee.interval[1])];
  return [
    line(x, p.y, x, p.y + p.height, colour, 1, { lineDash: [2, 3], opacity: 0.7 }),
    line(lo, y, hi, y, colour, 2),
    ...[lo, hi].map((end) => line(end, y - 3, end, y + 3, colour, 2)),
    polygon([[x, y - 5], [x + 5, y], [x, y + 5], [x - 5, y]], colour, { stroke: c.ground, lineWidth: 1 }),
  ];
}

// saturated says where, or why nothing is marked; "" of a run without an answer.
function saturated(knee: Knee | null, whole: boolean): string {
  if (!knee) return '';
  if (knee.threads === null) return say(knee.state === 'not-reached' ? 'scaling.not-saturated' : 'scaling.saturation-open');
  const [n, lo, hi] = [knee.threads, ...(knee.interval ?? [])].map((v) => number(v, v < 10 ? 2 : v < 100 ? 1 : 0));
  const at = say('scaling.saturated', { n: n! });
  return whole && lo && hi ? `${at} (${say('between', { lo, hi })})` : at;
}

// Direct labels at the lines' ends, and where each peaks.
function names(c: Context, curves: Curve[], p: Panel, at: At): Option[] {
  const peaks = curves.flatMap((k) => {
    if (!k.law?.peak || k.law.misfit) return [];
    const [x, y] = at(k.law.peak, k.law.at(k.law.peak));
    return [polygon([[x, y - 6], [x - 5, y - 15], [x + 5, y - 15]], c.tokens.ink)];
  });
  if (isNarrow(c.width)) return peaks;
  const ends = curves
    .flatMap((k) => {
      const last = k.levels.at(-1);
      return last ? [{ k, y: at(last.threads, k.law ? k.law.at(last.threads) : last.mean!)[1], x: at(last.threads, 0)[0], colour: colourOf(c, last) }] : [];
    })
    .sort((a, b) => a.y - b.y);
  let free = -Infinity;
  const labels = ends.flatMap(({ k, x, y, colour }) => {
    const placed = Math.max(y, free);
    const under = saturated(k.knee, false);
    free = placed + (under ? 31 : 16);
    return [line(x + 8, y, p.x + p.width + 8, placed, colour, 1, { opacity: 0.6 }), text(c, k.name, p.x + p.width + 12, placed, c.tokens.ink, { bold: true, size: 12.5, width: 134 }), ...(under ? [text(c, under, p.x + p.width + 12, placed + 14, c.tokens.muted, { size: 11, width: 136 })] : [])];
  });
  return [...peaks, ...labels];
}

function stops(c: Context, curves: Curve[], kind: string, grid: number): Stop[] {
  return curves.flatMap((k, i) =>
    k.levels.flatMap((a): Stop[] => {
      const r = c.model.contrasts.find((x) => x.arm === a);
      const y = kind === 'tps' ? a.mean : kind === 'p99' ? p99(a) : r && estimable(r) ? r.cost : null;
      if (y === null) return [];
      return [{ grid, x: a.threads, y, row: grid * 100 + i, group: `${a.threads}`, tip: () => tipOf(c, k, a, r) }];
    }),
  );
}

function tipOf(c: Context, k: Curve, a: Arm, r: Contrast | undefined): Tip {
  const ms = p99(a);
  const cost = r && estimable(r) ? `${percent(r.cost, 1)}${r.outer ? ` (${say('between', { lo: number(r.outer[0], 1), hi: number(r.outer[1], 1) })})` : ''}` : '';
  const rows = [
    { colour: colourOf(c, a), name: say('throughput'), value: say('tps', { x: rate(a.mean!) }) },
    ...(k.law ? [{ name: say('law-says'), value: say('tps', { x: rate(k.law.at(a.threads)) }) }] : []),
    ...(ms === null ? [] : [{ name: 'p99', value: milliseconds(ms) }]),
    ...(cost ? [{ name: say('cost'), value: cost }] : []),
  ];
  const note = k.law?.misfit ? say('misfit') : k.law?.peak ? say('peaks', { n: number(k.law.peak) }) : '';
  const at = saturated(k.knee, true);
  return { title: say('arm-threads', { arm: k.name, n: a.threads }), rows, note: [at, note].filter(Boolean).join('; ') };
}
