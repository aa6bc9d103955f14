// Where an average transaction spends its time, arm by arm, and what each part changed
// by against the baseline.

import { known, type ExplainedDoc, type SpentDoc } from './document';
import { visible } from './format';
import type { Arm } from './trial';
import { say, type Word } from './words';

// In the order of a bar; the names are those of internal/compare/budget.go. Colours go by
// this place too, so that a part has its own in every run.
const PLACES: readonly (readonly [string, Word])[] = [
  ['on a CPU', 'spent.cpu'],
  ['throttled', 'spent.throttled'],
  ['waiting for a CPU', 'spent.waiting'],
  ['row locks', 'spent.lock'],
  ['reading pages', 'spent.read'],
  ['commit and log', 'spent.log'],
  ['rest in the server', 'spent.rest'],
  ['network and client', 'spent.network'],
  ['rest in the server, network and client', 'spent.rest-network'],
  ['commit and log, rest in the server', 'spent.log-rest'],
];

/** A part whose share of the longest transaction is smaller than this has no row and no entry in the key. */
const SEEN = 0.005;

export interface Spent {
  /** Place in the order of a bar. */
  place: number;
  name: string;
  ms: number;
  /** To the baseline; null for the baseline itself. */
  change: number | null;
  /** 95 % interval of the change. */
  interval: [number, number] | null;
  rounds: number;
}

export interface Budget {
  arm: Arm;
  whole: Spent;
  parts: Spent[];
}

/** budgetsOf leaves out arms that the document does not list. */
export function budgetsOf(docs: ExplainedDoc[], find: (arm: string, threads: number | undefined) => Arm | undefined): Budget[] {
  return docs.flatMap((d): Budget[] => {
    const arm = find(d.arm, d.threads);
    const [first, ...others] = d.budget ?? [];
    const whole = first && spentOf(first, say('budget.whole'));
    const parts = others.flatMap((s) => spentOf(s) ?? []).sort((a, b) => a.place - b.place);
    return arm && whole && parts.length ? [{ arm, whole, parts }] : [];
  });
}

function spentOf(s: SpentDoc, name?: string): Spent | null {
  const ms = known(s.ms);
  if (ms === null) return null;
  const place = PLACES.findIndex(([called]) => called === s.name);
  const word = PLACES[place]?.[1];
  const [lo, hi] = [known(s.interval_ms?.[0]), known(s.interval_ms?.[1])];
  return {
    place: place < 0 ? PLACES.length : place,
    name: name ?? (word ? say(word) : visible(s.name, 40)),
    ms,
    change: known(s.change_ms),
    interval: lo === null || hi === null ? null : [lo, hi],
    rounds: s.rounds ?? 0,
  };
}

/** reach is where a bar ends: its parts add up to the transaction, or to more where counters overlap. */
export const reach = (b: Budget): number => Math.max(b.whole.ms, b.parts.reduce((sum, s) => sum + Math.max(0, s.ms), 0));

/** seen are the parts that are long enough to be seen in any arm, each once, in their order. */
export function seen(budgets: readonly Budget[]): Spent[] {
  const longest = budgets.reduce((most, b) => Math.max(most, reach(b)), 0);
  const all = new Map<string, Spent>();
  for (const s of budgets.flatMap((b) => b.parts)) {
    if (s.ms > SEEN * longest && !all.has(s.name)) all.set(s.name, s);
  }
  return [...all.values()].sort((a, b) => a.place - b.place);
}
