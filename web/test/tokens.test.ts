// The floors of the palette: WCAG 2 contrast, and the distance that red-, green- and
// blue-blind readers keep between any two colours that mean something.

import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { dark, inkOn, light, type Tokens } from '../src/tokens';
import { contrast, difference, lightness, over, simulate, VISIONS } from './colour';

const states = ['neutral', 'cost', 'gain', 'equivalent', 'inconclusive', 'invalid'] as const;
const themes: [string, Tokens][] = [['light', light], ['dark', dark]];

// Known answers first: a wrong formula would pass any palette.
test('contrast of black on white', () => expect(contrast('#000000', '#FFFFFF')).toBeCloseTo(21, 6));
test.each([
  // Sharma, Wu, Dalal 2005, pairs 1, 7 and 25 of their test data, in CIE Lab.
  [[50, 2.6772, -79.7751], [50, 0, -82.7485], 2.0425],
  [[50, 0, 0], [50, -1, 2], 2.3669],
  [[60.2574, -34.0099, 36.2677], [60.4626, -34.1751, 39.4387], 1.2644],
] as [number[], number[], number][])('CIEDE2000 of %j and %j', (a, b, want) => {
  expect(difference.lab(a, b)).toBeCloseTo(want, 4);
});

describe.each(themes)('%s', (_, t) => {
  test.each(['ink', 'muted', 'link', ...states] as const)('%s can be read on page, panel and its own tint', (name) => {
    const grounds = [t.page, t.panel, ...(name === 'ink' || name === 'muted' || name === 'link' ? [] : [over(t[name], t.page, 0.08)])];
    for (const ground of grounds) expect(contrast(t[name], ground)).toBeGreaterThanOrEqual(4.5);
  });

  test('marks and edges can be seen', () => {
    for (const colour of [...t.series, ...t.parts, t.edge]) expect(contrast(colour, t.page)).toBeGreaterThanOrEqual(3);
  });

  test.each(VISIONS)('states stay apart for %s vision', (vision) => {
    expect(closest(states.map((s) => t[s]), vision)).toBeGreaterThanOrEqual(15);
  });

  test.each(VISIONS)('arms stay apart for %s vision', (vision) => {
    expect(closest(t.series, vision)).toBeGreaterThanOrEqual(19);
  });

  test.each(VISIONS)('parts of a bar stay apart for %s vision', (vision) => {
    expect(closest(t.parts, vision)).toBeGreaterThanOrEqual(14);
  });

  test('numbers in the parts of a bar can be read', () => {
    for (const fill of t.parts) expect(contrast(inkOn(fill), fill), fill).toBeGreaterThanOrEqual(4.5);
  });
});

test.each(themes.flatMap(([name, t]) => VISIONS.map((v) => [name, v, t] as const)))('the shades of %s go one way for %s vision', (_, vision, t) => {
  const seen = [t.panel, ...t.heat].map((c) => simulate(c, vision));
  const steps = seen.slice(1).map((c, i) => lightness(c) - lightness(seen[i]!));
  for (const s of steps) expect(Math.sign(s)).toBe(Math.sign(steps[0]!));
  seen.slice(1).forEach((c, i) => expect(difference(c, seen[i]!)).toBeGreaterThanOrEqual(5));
});

test('light and dark are light and dark', () => {
  expect(lightness(light.page)).toBeGreaterThan(95);
  expect(lightness(dark.page)).toBeLessThan(15);
});

function closest(colours: readonly string[], vision: (typeof VISIONS)[number]): number {
  const seen = colours.map((c) => simulate(c, vision));
  const pairs = seen.flatMap((a, i) => seen.slice(i + 1).map((b) => difference(a, b)));
  return Math.min(...pairs);
}

// The page's style is written by hand and holds the same values as variables.
const css = new URL('../../internal/report/page/page.css', import.meta.url);
test.runIf(existsSync(css) && readFileSync(css, 'utf8').includes('--page'))('page.css has the same colours', () => {
  const text = readFileSync(css, 'utf8').toLowerCase();
  const all = (name: string) => [...text.matchAll(new RegExp(`--${name}:\\s*(#[0-9a-f]{6})`, 'g'))].map((m) => m[1]);
  const names = { page: 'page', panel: 'panel', ink: 'ink', muted: 'muted', link: 'link', edge: 'edge', neutral: 'neutral', grid: 'grid', cost: 'cost', gain: 'gain', equivalent: 'equivalent', inconclusive: 'inconclusive', invalid: 'invalid' } as const;
  for (const [variable, token] of Object.entries(names)) {
    // The first is :root, light; then the system's dark, the chosen dark; then paper.
    expect(all(variable).slice(0, 3), variable).toEqual([light, dark, dark].map((t) => t[token].toLowerCase()));
  }
  light.series.forEach((colour, i) => {
    expect(all(`s${i + 1}`).slice(0, 3)).toEqual([colour, dark.series[i]!, dark.series[i]!].map((v) => v.toLowerCase()));
  });
});
