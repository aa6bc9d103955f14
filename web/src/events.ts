// The throughput around each event, and the parts of the time without service, of every round.

import { known, type EventDoc } from './document';
import type { Arm } from './trial';
import { say } from './words';

/** Stretch is a part of a time without service, in seconds from the event. */
export interface Stretch {
  name: string;
  from: number;
  to: number;
}

/** Course is one round: the ends of its bins are step apart. */
export interface Course {
  round: number;
  tps: (number | null)[];
  parts: Stretch[];
}

export interface Happening {
  arm: Arm;
  number: number;
  title: string;
  /** When the first bin begins, in seconds from the event, and how long each is. */
  from: number;
  step: number;
  courses: Course[];
  /** The mean throughput before the event. */
  usual: number;
}

/** eventsOf leaves out events of arms that the document does not list, and those whose transactions were not counted in steps. */
export function eventsOf(docs: EventDoc[], find: (arm: string, threads: number | undefined) => Arm | undefined): Happening[] {
  return docs.flatMap((d): Happening[] => {
    const arm = find(d.arm, d.threads);
    const [from, step] = [known(d.timeline?.from_s), known(d.timeline?.step_s)];
    if (!arm || from === null || step === null || step <= 0) return [];
    const courses = (d.timeline?.trials ?? []).map((t): Course => ({
      round: t.round,
      tps: (t.tps ?? []).map(known),
      parts: (t.parts ?? []).flatMap((p) => {
        const [begins, ends] = [known(p.from_s), known(p.to_s)];
        return begins === null || ends === null ? [] : [{ name: p.name, from: begins, to: ends }];
      }),
    }));
    const calm = courses.flatMap((c) => c.tps.slice(0, Math.round(-from / step)).flatMap((v) => v ?? []));
    const usual = calm.reduce((sum, v) => sum + v, 0) / Math.max(1, calm.length);
    return [{ arm, number: d.number, title: titleOf(d, arm), from, step, courses, usual }];
  });
}

function titleOf(d: EventDoc, arm: Arm): string {
  const kinds = { kill: 'fault.kill', pause: 'fault.pause', cutOff: 'fault.cutOff', slowDisk: 'fault.slowDisk', slowLink: 'fault.slowLink', restart: 'fault.restart', delete: 'fault.delete', command: 'fault.command' } as const;
  const members = { primary: 'member.primary', secondary: 'member.secondary', server: 'member.server', pod: 'member.pod' } as const;
  const kind = d.kind in kinds ? say(kinds[d.kind as keyof typeof kinds]) : d.kind;
  const member = d.member in members ? say(members[d.member as keyof typeof members]) : say('member.number', { n: d.member });
  const at = String(known(d.at_s) ?? '');
  return say('event-title', { arm: arm.label, event: d.kind === 'command' ? say('fault.of-command', { kind, at }) : say('fault.of', { kind, member, at }) });
}
