// What a chart is, to the host that shows it: a picture (an ECharts option) and the
// points a reader can visit in it, by mouse or by keys alike.

import type { Option } from './echart';
import type { Model } from './model';
import type { Choices, Store } from './store';
import type { Theme } from './theme';
import type { Cells } from './take';
import type { Tip } from './tip';
import type { Tokens } from './tokens';
import type { Word } from './words';

/** Stop is one point that can be visited. */
export interface Stop {
  /** Panel (grid) and place in its units. */
  grid: number;
  x: number;
  y: number;
  /** Of a mark with an extent: from and to along x. Anywhere on it is at it. */
  wide?: [number, number];
  /** Left and right keys walk along a row, up and down change it. */
  row: number;
  /** Stops of one group are lit together: a round, a trial. */
  group?: string;
  /** Made when asked for: most points are never visited. */
  tip: () => Tip;
}

/** Panel is a plot's place in pixels, its index that of its grid and axes. */
export interface Panel {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface View {
  height: number;
  panels: Panel[];
  option: Option;
  stops: Stop[];
  /**
   * nearest: the closest point within reach; row: that, or else the row pointed at;
   * column: the closest x, then the closest y.
   */
  hit: 'nearest' | 'row' | 'column';
  /** Panels through which a vertical line follows the pointer. */
  crosshair?: number[];
  /** Panels in which a group is joined by a line when it is lit. */
  joined?: number[];
  /** Every point of a lit group gets a ring. */
  ringed?: boolean;
  /** x is the seconds of a trial, which the reader may narrow in all such charts at once. */
  zoomable?: boolean;
}

/** Context is everything a chart may look at. Charts are functions of it. */
export interface Context {
  model: Model;
  width: number;
  /** Font family of the page: text in a picture is measured with it. */
  font: string;
  tokens: Tokens;
  /** Colour of what the picture lies on. */
  ground: string;
  patterned: boolean;
  choices: Choices;
}

/** Page is what the host needs besides. Its model is created again for another language. */
export interface Page {
  model: Model;
  store: Store;
  theme: Theme;
}

export interface Chart {
  name: string;
  /** null when the document has nothing to show here. */
  draw(c: Context): View | null;
  /** Buttons above the chart. */
  tools?(page: Page): HTMLElement[];
  /** The numbers it is drawn from, a head first: units in the names, null is not known. */
  rows(m: Model): Cells;
  /** What the keys do, said once to screen readers. */
  help: Word;
}

/** isNarrow: labels go above their line instead of beside it. */
export const isNarrow = (width: number): boolean => width < 560;
