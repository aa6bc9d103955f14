import { expect, test } from 'vitest';
import { fromStart, nearest, points, span, step, together, warmupEnd } from '../src/charts/series-data';
import { csv } from '../src/copy';
import { heatOf, quantile } from '../src/heat';
import { step as walk } from '../src/keys';
import { build, type Trial } from '../src/model';
import { runs } from '../src/overlay';
import { parse, print } from '../src/store';
import { documents } from '../e2e/documents';
import type { Document } from '../src/document';
import type { Stop } from '../src/view';
import { setLanguage } from '../src/words';
import english from '../../internal/report/language/en.json';

setLanguage({ ...english, texts: [] });

test('the hash holds the choices and a section', () => {
  const { section, choices } = parse('#cost&theme=dark&rounds=1&off=2,0,x');
  expect(section).toBe('cost');
  expect(choices).toEqual({ lang: '', theme: 'dark', rounds: true, strips: false, span: null, metric: '', off: new Set([2, 0]) });
  expect(print(section, choices)).toBe('#cost&theme=dark&rounds=1&off=0,2');
  expect(print('', parse('').choices)).toBe('');
  expect(parse('#cost&span=5-17.5').choices.span).toEqual([5, 17.5]);
  expect(print('', parse('#span=5-17.5').choices)).toBe('#span=5-17.5');
  for (const bad of ['9-3', 'a-b', '1-2-3', '5']) expect(parse(`#span=${bad}`).choices.span).toBeNull();
  expect(print('', parse('#lang=zh').choices)).toBe('#lang=zh');
  expect(parse('#lang=<b>').choices.lang).toBe('');
  expect(parse('#theme=light').choices.theme).toBe('light');
  expect(parse('#cost&theme=javascript:1').choices.theme).toBe('auto');
});

test('csv follows RFC 4180', () => {
  expect(csv([['a', 'b,c', 'd"e'], ['1\n2', '', '=x']])).toBe('a,"b,c","d""e"\r\n"1\n2",,=x\r\n');
});

test('cost is the effect turned round, and so are its bounds', () => {
  const { contrasts } = build({
    schema: 'tare.result/v1',
    arms: [{ name: 'a', baseline: true }, { name: 'b' }],
    contrasts: [{ arm: 'b', baseline: 'a', effect_percent: -9.8, interval: [-10.4, -9.2], interval90: null, rounds: 14, verdict: 'costs', pairs: [{ round: 1, baseline: 100, arm: 90, effect_percent: -10 }] }],
  });
  expect(contrasts[0]).toMatchObject({ cost: 9.8, outer: [9.2, 10.4], inner: null, pairs: [{ round: 1, cost: 10 }] });
});

test('a waterfall ends at its total', () => {
  const part = (points: number) => ({ points, interval: [points - 1, points + 1] as [number, number] });
  const layer = (name: string, points: number) => ({ layer: name, ...part(points), share: 0.5, share_interval: null, order_range: [points - 2, points] as [number, number] });
  const m = build({
    schema: 'tare.result/v1',
    attributions: [
      { from: 'bare', to: 'pod', total: part(-9), layers: [layer('quota', -6), layer('net', 1)], unexplained: part(-4) },
      { from: 'bare', to: 'sealed', total: null },
    ],
  });
  expect(m.attributions).toHaveLength(1);
  const { title, steps } = m.attributions[0]!;
  expect(title).toBe('pod compared with bare');
  expect(steps.map((s) => [s.name, s.from, s.to])).toEqual([['quota', 0, 6], ['net', 6, 5], ['unexplained', 5, 9], ['total', 0, 9]]);
  expect(steps[0]).toMatchObject({ outer: [5, 7], order: [6, 8], share: 0.5, shared: false, back: null });
});

test('a document with nothing in it, or with strangers, is no error', () => {
  expect(build(documents['empty'] as unknown as Document).arms).toEqual([]);
  const m = build({ schema: 'tare.result/v1', arms: [], contrasts: [{ arm: 'x', baseline: 'y', verdict: 'costs' }], trials: [{ trial: 1, round: 1, arm: 'x', outcome: 'measured' }] });
  expect([m.contrasts, m.trials]).toEqual([[], []]);
});

test('heat is shares of each second, and leaves out what it cannot place', () => {
  const m = build({ schema: 'tare.result/v1', arms: [{ name: 'a', threads: 8 }] });
  const heat = heatOf(
    {
      ends_s: [1, 2, 3],
      warmup_s: 1,
      bounds_ms: [0, 1, 2, 4],
      arms: [
        { arm: 'a', threads: 8, columns: [{ first: 0, counts: [1, 0, 3] }, null, { first: 1, counts: [2, 0, 0, 5] }] },
        { arm: 'stranger', threads: 8, columns: [{ first: 0, counts: [1] }] },
      ],
    },
    (name) => m.arms.find((a) => a.name === name),
  );
  expect(heat.warmup).toBe(1);
  expect(heat.columns.map((c) => c.arm.name)).toEqual(['a']);
  const [first, third] = heat.columns[0]!.spans;
  // Bucket 0 has no lower bound on a logarithmic axis; what lies above all bounds has no place.
  expect(first).toEqual({ from: 0, to: 1, total: 4, cells: [{ low: 0.5, high: 1, share: 0.25 }, { low: 2, high: 4, share: 0.75 }] });
  expect(third).toMatchObject({ from: 2, to: 3, total: 7, cells: [{ low: 1, high: 2 }] });
  expect([quantile(first!, 0.25), quantile(first!, 0.5), quantile(first!, 1)]).toEqual([1, 4, 4]);
  expect(heatOf(null, () => undefined)).toEqual({ columns: [], warmup: null });
});

test('arms of one name at two loads are told apart and share a colour', () => {
  const m = build({ schema: 'tare.result/v1', arms: [{ name: 'a', threads: 8 }, { name: 'b', threads: 8 }, { name: 'a', threads: 64 }] });
  expect(m.arms.map((a) => [a.label, a.hue])).toEqual([['a ×8', 0], ['b ×8', 1], ['a ×64', 0]]);
});

const trial = (ts: number[], warm = 0): Trial => ({
  id: 1, round: 1, slot: 1, arm: null as never, outcome: 'measured', reason: '', throughput: 1, reduced: 0, change: null,
  seconds: ts.map((t) => ({ t, tps: t, latency: null, warmup: t <= warm })),
});

test('a line breaks where seconds are missing', () => {
  expect(points(trial([1, 2, 5, 6]), 'tps')).toEqual([[1, 1], [2, 2], [3.5, null], [5, 5], [6, 6]]);
  expect(points(trial([]), 'tps')).toEqual([]);
});

test('a point is the nearest one, of turns as of seconds', () => {
  const turns = trial([0.2, 0.4, 0.6]).seconds;
  expect(nearest(turns, 0.6)?.t).toBe(0.6);
  expect(nearest(turns, 0.41)?.t).toBe(0.4);
  expect(nearest(turns, 2)).toBeUndefined();
  expect(nearest(trial([1, 2]).seconds, 2)?.t).toBe(2);
});

test('span, step and warm-up of a trial', () => {
  expect(step(trial([605, 606, 607]).seconds)).toBe(1);
  expect(span([trial([605, 606, 607])])).toEqual([604, 607]);
  expect(span([])).toEqual([0, 1]);
  expect(warmupEnd([trial([1, 2, 3], 2)])).toBe(2);
  expect(warmupEnd([trial([1, 2, 3])])).toBeNull();
});

test('pieces of logs that begin anywhere get a clock of their own', () => {
  expect(together([trial([1, 2, 3]), trial([2, 3]), trial([])])).toBe(true);
  expect(together([trial([605, 606]), trial([881, 882])])).toBe(false);
  expect(fromStart(trial([881, 882, 884])).seconds.map((s) => s.t)).toEqual([1, 2, 4]);
});

test('a lit line breaks where seconds are missing, too', () => {
  const at = (x: number): Stop => ({ grid: 0, x, y: 0, row: 0, tip: () => ({ title: '', rows: [] }) });
  expect(runs([1, 2, 3, 7, 8, 12].map(at)).map((r) => r.map((s) => s.x))).toEqual([[1, 2, 3], [7, 8]]);
  expect(runs([at(1)])).toEqual([]);
});

test('keys reach every stop', () => {
  const stop = (row: number, x: number): Stop => ({ grid: 0, x, y: 0, row, tip: () => ({ title: '', rows: [] }) });
  const stops = [stop(0, 1), stop(0, 2), stop(0, 3), stop(5, 1), stop(5, 2.4)];
  const [a, b, c, d, e] = stops as [Stop, Stop, Stop, Stop, Stop];
  expect(walk(stops, null, 'ArrowRight')).toBe(a);
  expect(walk(stops, a, 'ArrowRight')).toBe(b);
  expect(walk(stops, c, 'ArrowRight')).toBe(c);
  expect(walk(stops, c, 'ArrowDown')).toBe(e);
  expect(walk(stops, e, 'ArrowUp')).toBe(b);
  expect(walk(stops, e, 'ArrowDown')).toBe(e);
  expect(walk(stops, e, 'Home')).toBe(d);
  expect(walk([], null, 'End')).toBeNull();
});
