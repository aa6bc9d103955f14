// The attributions of the document as waterfalls: costs, positive and to the right =
// worse, each from where the one before ended.

import { flip, known, type AttributionDoc, type PartDoc } from './document';
import { visible } from './format';
import { say } from './words';

/** One bar of a waterfall, in points of cost. */
export interface Step {
  name: string;
  from: number;
  to: number;
  cost: number;
  /** 95 % interval of the cost, ascending. */
  outer: [number, number];
  total: boolean;
  /** Share of the total; shared is false where its interval was refused. */
  share: number | null;
  shared: boolean;
  order: [number, number] | null;
  back: number | null;
}

export interface Attribution {
  title: string;
  steps: Step[];
}

function stepOf(name: string, part: PartDoc, from: number): Step | null {
  const points = known(part.points);
  const outer = flip(part.interval);
  if (points === null || outer === null) return null;
  const base = { share: null, shared: false, order: null, back: null, total: false };
  return { name, from, to: from - points, cost: -points, outer, ...base };
}

/** attributionsOf leaves out those without figures: their sentence says why. */
export function attributionsOf(docs: AttributionDoc[], manyLoads: boolean): Attribution[] {
  return docs.flatMap((a) => {
    const total = a.total && stepOf(say('total'), a.total, 0);
    if (!total) return [];
    const steps: Step[] = [];
    const end = () => steps.at(-1)?.to ?? 0;
    for (const l of a.layers ?? []) {
      const s = stepOf(visible(l.layer, 24), l, end());
      const back = known(l.gives_back?.points);
      if (s) steps.push({ ...s, share: known(l.share), shared: flip(l.share_interval) !== null, order: flip(l.order_range), back });
    }
    const rest = a.unexplained && stepOf(say('unexplained'), a.unexplained, end());
    if (rest) steps.push(rest);
    steps.push({ ...total, total: true });
    return [{ title: say('against', { arm: visible(a.to, 32) + (manyLoads ? ` ×${a.threads ?? '?'}` : ''), base: visible(a.from, 32) }), steps }];
  });
}
