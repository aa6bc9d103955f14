// What goes along with throughput over the arms: the factors that Go calls telling.

import { known, type CorrelationDoc } from './document';
import { visible } from './format';
import type { Arm } from './trial';

export interface Correlation {
  factor: string;
  declared: boolean;
  rho: number | null;
  /** Exact permutation p, and the same for all factors that were looked at. */
  p: number | null;
  familyP: number | null;
  screened: number;
  /** The arm without which rho changes most, with what is left then. */
  outlier: Arm | null;
  rhoWithout: number | null;
  /** Ascending by the factor's value. */
  points: { arm: Arm; value: number; tps: number }[];
}

/** correlationsOf leaves out arms that the document does not list, or that gave no number. */
export function correlationsOf(docs: CorrelationDoc[], arms: readonly Arm[]): Correlation[] {
  return docs.filter((d) => d.telling).flatMap((d): Correlation[] => {
    const mine = arms.filter((a) => a.threads === (d.threads ?? 0));
    const points = mine.flatMap((arm) => {
      const value = known(d.values?.[arm.name]);
      return value === null || arm.mean === null ? [] : [{ arm, value, tps: arm.mean }];
    });
    if (points.length < 2) return [];
    points.sort((a, b) => a.value - b.value);
    return [{
      factor: visible(d.factor, 90),
      declared: d.declared ?? false,
      rho: known(d.rho),
      p: known(d.p),
      familyP: known(d.family_p),
      screened: d.screened ?? 0,
      outlier: points.find((x) => x.arm.name === d.outlier)?.arm ?? null,
      rhoWithout: known(d.rho_without_outlier),
      points,
    }];
  });
}
