// What goes along with throughput? A panel a factor, a point an arm with its trials, the
// outlying arm ringed and named. No line is drawn through them: ranks were compared, and
// a line would promise a law.

import * as axis from '../axis';
import { colourOf } from '../arms';
import type { Correlation } from '../correlation';
import type { Option } from '../echart';
import { number, plain, pvalue, rate, short } from '../format';
import { fromZero, logRange, widen, type Range } from '../scale';
import { custom, dot, group, text } from '../shape';
import type { Tip } from '../tip';
import { isNarrow, type Chart, type Context, type Panel, type Stop } from '../view';
import { say } from '../words';

const HEAD = 46;
const TALL = 220;
const FOOT = 46;
const AXIS = 58;
const GAP = 26;
/** More are in the table: declared ones come first, then those that chance explains least. */
const MOST = 4;
/** Values of a factor this many times apart stand on a logarithmic axis. */
const FAR = 100;

type At = (x: number, y: number) => [number, number];

export const correlation: Chart = {
  name: 'correlation',
  help: 'help.correlation',
  rows: (m) => [
    ['factor', 'arm', 'value', 'tx_per_s'],
    ...m.correlations.flatMap((r) => r.points.map((p) => [r.factor, p.arm.label, p.value, p.tps])),
  ],
  draw(c) {
    const all = [...c.model.correlations].sort((a, b) => Number(b.declared) - Number(a.declared) || (a.familyP ?? 1) - (b.familyP ?? 1)).slice(0, MOST);
    if (!all.length) return null;
    const panels = place(c, all.length);
    const trials = all.flatMap((r) => r.points.flatMap((p) => p.arm.trials.flatMap((t) => t.throughput ?? [])));
    const y = fromZero(Math.max(...trials, ...all.flatMap((r) => r.points.map((p) => p.tps))), 4);
    return {
      height: Math.max(...panels.map((p) => p.y)) + TALL + FOOT,
      panels,
      hit: 'nearest',
      stops: all.flatMap((r, grid) => r.points.map((p): Stop => ({ grid, x: p.value, y: p.tps, row: grid, group: `${p.arm.index}`, tip: () => tipOf(c, r, p) }))),
      ringed: true,
      option: {
        xAxis: all.map((r, g) => factorAxis(c, r, g, panels[g]!)),
        yAxis: all.map((_, g) => axis.value(c, g, y, { axisLabel: { formatter: short } })),
        series: all.map((r, g) => custom(g, (at) => cloud(c, r, panels[g]!, at), { data: [[r.points[0]!.value, 0]] })),
      },
    };
  },
};

// Two side by side where there is room for two.
function place(c: Context, n: number): Panel[] {
  const columns = n > 1 && c.width >= 720 ? 2 : 1;
  const width = (c.width - (columns - 1) * GAP) / columns;
  return Array.from({ length: n }, (_, i) => ({
    x: (i % columns) * (width + GAP) + AXIS,
    y: Math.floor(i / columns) * (HEAD + TALL + FOOT) + HEAD,
    width: width - AXIS - 14,
    height: TALL,
  }));
}

function factorAxis(c: Context, r: Correlation, grid: number, p: Panel): Option {
  const [least, most] = [r.points[0]!.value, r.points.at(-1)!.value];
  const more = {
    name: plain(r.factor),
    nameLocation: 'middle',
    nameGap: 26,
    nameTextStyle: { color: c.tokens.muted, fontSize: 12 },
    nameTruncate: { maxWidth: p.width, ellipsis: '…' },
    axisLabel: { formatter: brief },
  };
  if (least > 0 && most / least > FAR) return axis.log(c, grid, logRange(least, most), more);
  return axis.value(c, grid, around(least, most), more);
}

/** around leaves room beside the outermost points. */
function around(least: number, most: number): Range {
  const room = (most - least || Math.abs(most) || 1) * 0.06;
  return widen(least - room, most + room, 5);
}

const brief = (v: number): string => (Math.abs(v) >= 1e4 ? short(v) : String(Number(v.toPrecision(3))));

function cloud(c: Context, r: Correlation, p: Panel, at: At): Option {
  const width = p.width + AXIS;
  return group([
    text(c, r.factor, p.x - AXIS, p.y - 32, c.tokens.ink, { bold: true, size: 12.5, width }),
    text(c, strength(r), p.x - AXIS, p.y - 15, c.tokens.muted, { size: 11.5, width }),
    ...r.points.flatMap((x) => x.arm.trials.flatMap((t) => (t.throughput === null ? [] : [dot(...at(x.value, t.throughput), 2.2, colourOf(c, x.arm), { opacity: 0.5 })]))),
    ...r.points.map((x) => dot(...at(x.value, x.tps), 5, colourOf(c, x.arm), { stroke: c.ground, lineWidth: 1.5 })),
    ...names(c, r, p, at),
  ]);
}

function strength(r: Correlation): string {
  if (r.rho === null || r.p === null) return '';
  const rho = number(r.rho, 2);
  return r.screened > 1 && r.familyP !== null ? say('correlation.family', { rho, p: pvalue(r.familyP, 3), n: r.screened }) : say('correlation.rho', { rho, p: pvalue(r.p, 3) });
}

// The outlier's name first; others where they hide nothing. All are in the tips.
function names(c: Context, r: Correlation, p: Panel, at: At): Option[] {
  const taken: [number, number, number][] = [];
  const order = [...r.points].sort((a, b) => Number(b.arm === r.outlier) - Number(a.arm === r.outlier));
  return order.flatMap((x) => {
    const [px, py] = at(x.value, x.tps);
    const out = x.arm === r.outlier;
    const words = out && r.rhoWithout !== null ? say('correlation.without', { arm: x.arm.label, rho: number(r.rhoWithout, 2) }) : x.arm.label;
    const wide = words.length * 6.4;
    const right = px + 12 + wide <= p.x + p.width + 10;
    const start = right ? px + 12 : px - 12 - wide;
    const ring = out ? [dot(px, py, 9, 'none', { stroke: c.tokens.ink, lineWidth: 2 })] : [];
    if (!out && taken.some(([from, to, y]) => start < to && start + wide > from && Math.abs(y - py) < 13)) return ring;
    taken.push([start, start + wide, py]);
    return [...ring, text(c, words, right ? px + 12 : px - 12, py, c.tokens.ink, { align: right ? 'left' : 'right', size: 11.5, bold: out, width: isNarrow(c.width) ? p.width * 0.6 : p.width })];
  });
}

function tipOf(c: Context, r: Correlation, p: Correlation['points'][number]): Tip {
  const rows = [
    { colour: colourOf(c, p.arm), name: say('throughput'), value: say('tps', { x: rate(p.tps) }) },
    { name: r.factor, value: brief(p.value) },
  ];
  const note = p.arm === r.outlier && r.rhoWithout !== null ? say('correlation.outlier', { rho: number(r.rhoWithout, 2) }) : '';
  return { title: p.arm.label, rows, note };
}
