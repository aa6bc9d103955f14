// Which trial ran when, and what was left out: a row for each pass through a round, in the
// order in which they ran, a box for each trial in its slot. Order is random, so a colour
// that lines up in a column would be seen (internal/report/chart/calendar.go draws the same
// without a script).

import * as axis from '../axis';
import { colourOf } from '../arms';
import type { Attempt, Pass } from '../calendar';
import type { Option } from '../echart';
import { number, wrap } from '../format';
import { custom, group, rect, text } from '../shape';
import { outcomeOf, word } from '../states';
import type { Tip } from '../tip';
import { isNarrow, type Chart, type Context, type Panel, type Stop } from '../view';
import { say, type Word } from '../words';

const ROW = 26;
const FOOT = 30;
/** A box narrower than this has no room for a name. */
const NAMED = 34;

const gates: Record<string, Word> = {
  client: 'gate.client',
  steal: 'gate.steal',
  foreign: 'gate.foreign',
  thermal: 'gate.thermal',
  sentinel: 'gate.sentinel',
};

type At = (x: number, y: number) => [number, number];

export const calendar: Chart = {
  name: 'calendar',
  help: 'help.calendar',
  rows: (m) => [
    ['started', 'round', 'slot', 'trial', 'arm', 'took_s', 'outcome', 'set_aside', 'disturbed_by'],
    ...m.passes.flatMap((p) => p.attempts.map((a) => [a.started, a.round, a.slot, a.trial, a.arm.label, a.took, a.outcome, a.aside ? 'yes' : 'no', a.gates.join(' ')])),
  ],
  draw(c) {
    const { passes } = c.model;
    if (!passes.length) return null;
    const slots = Math.max(...passes.flatMap((p) => p.attempts.map((a) => a.slot)));
    const left = isNarrow(c.width) ? 66 : 128;
    const panel: Panel = { x: left, y: 4, width: c.width - left - 2, height: passes.length * ROW };
    return {
      height: panel.height + FOOT + (isNarrow(c.width) ? 16 : 0),
      panels: [panel],
      hit: 'column',
      ringed: true,
      stops: passes.flatMap((p, i) => p.attempts.map((a): Stop => ({ grid: 0, x: a.slot - 0.5, y: i + 0.5, row: i, group: `trial ${a.trial}`, tip: () => tipOf(a) }))),
      option: {
        xAxis: [axis.bare(0, 0, slots)],
        yAxis: [axis.bare(0, 0, passes.length, { inverse: true })],
        series: [custom(0, (at) => group([...passes.flatMap((p, i) => row(c, p, i, at)), key(c, panel)]))],
      },
    };
  },
};

function row(c: Context, p: Pass, i: number, at: At): Option[] {
  const first = p.attempts[0]!;
  const time = first.started.slice(11, 16);
  const name = isNarrow(c.width) ? `${time} · ${p.round}` : say('calendar.row', { time, n: p.round });
  const [, y] = at(0, i + 0.5);
  return [text(c, name, 0, y, first.aside ? c.tokens.muted : c.tokens.ink, { size: 11.5 }), ...p.attempts.map((a) => box(c, a, i, at))];
}

function box(c: Context, a: Attempt, i: number, at: At): Option {
  const { tokens } = c;
  const [x, y] = at(a.slot - 1, i);
  const width = at(a.slot, i)[0] - x - 4;
  const height = ROW - 5;
  const hit = a.gates.length > 0;
  const mark = markOf(a);
  const stroke = hit ? tokens.invalid : tokens.edge;
  return group([
    {
      type: 'rect',
      shape: { x, y: y + 2, width, height },
      style: { fill: a.aside ? 'none' : tokens.page, stroke, lineWidth: hit ? 2 : 1, ...(a.aside ? { lineDash: [4, 3] } : {}) },
    },
    rect(x + 1, y + 3, 4, height - 2, colourOf(c, a.arm), a.aside ? 0.6 : 1),
    width < NAMED ? null : text(c, a.arm.label, x + 9, y + 2 + height / 2, a.aside ? tokens.muted : tokens.ink, { size: 11.5, width: width - 12 - (mark ? 14 : 0) }),
    mark ? text(c, mark, x + width - 4, y + 2 + height / 2, tokens.invalid, { size: 12, bold: true, align: 'right' }) : null,
  ]);
}

/** markOf says without colour that something happened to a trial. */
function markOf(a: Attempt): string {
  return a.gates.length ? '✕' : outcomeOf(a.outcome).glyph;
}

function key(c: Context, p: Panel): Option {
  const lines = wrap(say('calendar.key'), c.width, isNarrow(c.width) ? 2 : 1, 11.5);
  return text(c, lines.join('\n'), 0, p.y + p.height + 16 + (lines.length - 1) * 8, c.tokens.muted, { size: 11.5, width: c.width });
}

function tipOf(a: Attempt): Tip {
  const rows = [
    { name: say('calendar.began'), value: a.started ? a.started.slice(0, 19).replace('T', ' ') : '–' },
    ...(a.took === null ? [] : [{ name: say('calendar.took'), value: say('calendar.seconds', { n: number(a.took, 1) }) }]),
    { name: say('outcome'), value: word(outcomeOf(a.outcome)) },
    ...a.gates.map((g) => ({ name: say('calendar.by'), value: gates[g] ? say(gates[g]) : g })),
    { name: say('calendar.disposition'), value: say(a.aside ? 'disposition.run-again' : 'disposition.counted') },
  ];
  return { title: say('calendar.box', { n: a.round, slot: a.slot, arm: a.arm.label }), rows };
}
