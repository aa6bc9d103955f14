// Axes as this page draws them: quiet lines, labels in the muted ink, no frame.

import type { Option } from './echart';
import { number } from './format';
import { logTicks, ticks, type LogRange, type Range } from './scale';
import { isNarrow, type Context, type Panel } from './view';

/** value is a linear axis of a fixed range for panel grid. */
export function value(c: Context, grid: number, range: Range, more: Option = {}): Option {
  return {
    type: 'value',
    gridIndex: grid,
    min: range.min,
    max: range.max,
    axisLine: { show: false },
    // The library counts its ticks from the axis' end; zero must be one of them.
    axisTick: { show: false, customValues: ticks(range) },
    splitLine: { show: true, lineStyle: { color: c.tokens.grid, width: 1 } },
    ...more,
    axisLabel: { ...label(c), customValues: ticks(range), ...(more['axisLabel'] as Option) },
  };
}

/** costs is the axis below rows of costs; a narrow page has no room for its lines. */
export function costs(c: Context, grid: number, range: Range): Option {
  const axisLabel = { formatter: (v: number) => number(v, range.step < 1 ? 1 : 0) };
  return value(c, grid, range, { axisLabel, splitLine: { show: !isNarrow(c.width), lineStyle: { color: c.tokens.grid } } });
}

/** log is a logarithmic axis with ticks at 1, 2 and 5 when few decades are shown. */
export function log(c: Context, grid: number, range: LogRange, more: Option = {}): Option {
  const base = value(c, grid, { ...range, step: 1 }, more);
  const places = logTicks(range);
  return {
    ...base,
    type: 'log',
    axisTick: { show: false, customValues: places },
    axisLabel: { ...(base['axisLabel'] as Option), customValues: places },
  };
}

/** seconds is the axis of time below panels that share it: only the last one has a name, and labels where nothing else is said. */
export function seconds(c: Context, grid: number, [min, max]: [number, number], p: Panel, name: string, labelled = name !== ''): Option {
  return {
    type: 'value',
    gridIndex: grid,
    min,
    max,
    splitNumber: Math.max(2, Math.floor(p.width / 90)),
    axisLine: { show: true, onZero: false, lineStyle: { color: c.tokens.edge } },
    axisTick: { show: false },
    splitLine: { show: false },
    axisLabel: label(c, { show: labelled, showMinLabel: false, showMaxLabel: false, formatter: (v: number) => (v % 1 ? '' : `${v}`) }),
    name,
    nameLocation: 'middle',
    nameGap: 24,
    nameTextStyle: { color: c.tokens.muted, fontSize: 11.5 },
  };
}

/** bare is an axis that only places things. */
export function bare(grid: number, min: number, max: number, more: Option = {}): Option {
  return { type: 'value', gridIndex: grid, min, max, show: false, ...more };
}

/** label is the style of tick labels. */
export function label(c: Context, more: Option = {}): Option {
  return { color: c.tokens.muted, fontSize: 11.5, hideOverlap: true, ...more };
}
