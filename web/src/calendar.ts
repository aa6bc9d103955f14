// The session as it ran: every measurement of a trial, in passes through a round. A round
// that was set aside has a pass of its own for each time it was measured.

import { known, type AttemptDoc } from './document';
import { visible } from './format';
import type { Arm } from './trial';

export interface Attempt {
  trial: number;
  round: number;
  slot: number;
  arm: Arm;
  /** RFC 3339, UTC; "" where it is not known. */
  started: string;
  took: number | null;
  outcome: string;
  aside: boolean;
  /** What saw a disturbance by an external factor. */
  gates: string[];
}

export interface Pass {
  round: number;
  attempts: Attempt[];
}

/** passesOf groups attempts, which come in the order of their execution. */
export function passesOf(docs: AttemptDoc[], find: (arm: string, threads: number | undefined) => Arm | undefined): Pass[] {
  const passes: Pass[] = [];
  let last: AttemptDoc | undefined;
  for (const d of docs) {
    if (!last || d.round !== last.round || d.slot <= last.slot) passes.push({ round: d.round, attempts: [] });
    last = d;
    const arm = find(d.arm, d.threads);
    if (!arm) continue;
    const gates = (d.gates ?? []).map((g) => visible(g, 40));
    passes.at(-1)!.attempts.push({ trial: d.trial, round: d.round, slot: d.slot, arm, started: d.started ?? '', took: known(d.took_s), outcome: d.outcome, aside: d.set_aside ?? false, gates });
  }
  return passes.filter((p) => p.attempts.length);
}
