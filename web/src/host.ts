// Puts a chart into its figure and keeps it right: size, theme, choices, pointer,
// keys, print.

import { init, type ECharts, type Option } from './echart';
import { bindKeys } from './keys';
import { Overlay, type Pixel } from './overlay';
import type { Choices } from './store';
import { takeBar, type Taken } from './take';
import { spoken, type TipBox } from './tip';
import type { Chart, Context, Page, Panel, Stop, View } from './view';
import { bindDrag } from './zoom';
import { say, worded } from './words';

/** A4 less its margins of 14 mm and the figure's own, at 96 px per inch. */
const PAPER = 640;
/** A point further from the pointer than this is not meant. */
const REACH = 28;

/** Host is one chart on the page. */
export class Host {
  readonly #page: Page;
  readonly #chart: Chart;
  readonly #box: HTMLElement;
  readonly #tips: TipBox;
  readonly #ec: ECharts;
  readonly #overlay: Overlay;
  #view: View;
  #pixels: Map<Stop, Pixel> | null = null;
  #at: Stop | null = null;
  #width = 0;

  private constructor(page: Page, chart: Chart, box: HTMLElement, tips: TipBox, view: View) {
    this.#page = page;
    this.#chart = chart;
    this.#box = box;
    this.#tips = tips;
    this.#view = view;
    box.replaceChildren();
    box.classList.add('tare-drawn');
    this.#ec = init(box, null, { renderer: 'svg', width: box.clientWidth || PAPER, height: view.height });
    this.#overlay = new Overlay(this.#ec);
    this.#listen();
    this.#show(context(page, box, box.clientWidth || PAPER), view);
  }

  /** mount draws chart into figure, or leaves the figure alone when there is nothing to draw. */
  static mount(page: Page, chart: Chart, figure: HTMLElement, tips: TipBox): Host | null {
    const box = figure.querySelector<HTMLElement>('.chart');
    const view = box && chart.draw(context(page, box, box.clientWidth || PAPER));
    if (!box || !view) return null;
    const tools = chart.tools?.(page) ?? [];
    if (tools.length) box.before(toolbar(tools));
    worded(() => label(box, chart, figure));
    const host = new Host(page, chart, box, tips, view);
    const title = figure.querySelector('figcaption');
    title?.after(takeBar(() => host.#taken(figure), (text) => tips.say(text), () => title.textContent ?? chart.name));
    return host;
  }

  /** draw redraws the chart: after a choice, another width, another theme. */
  draw(width = this.#box.clientWidth || PAPER): void {
    const c = context(this.#page, this.#box, width);
    this.#show(c, this.#chart.draw(c) ?? this.#view);
  }

  #show(c: Context, view: View): void {
    const { width } = c;
    this.#width = width;
    this.#view = view;
    this.#pixels = null;
    this.#at = null;
    this.#overlay.clear();
    this.#box.style.height = `${this.#view.height}px`;
    this.#ec.resize({ width, height: this.#view.height, silent: true });
    this.#ec.setOption(option(c, this.#view), { notMerge: true });
  }

  /** heeds says whether a choice changes this picture. */
  heeds(change: Partial<Choices>): boolean {
    const keys = Object.keys(change);
    return !keys.length || keys.some((k) => k !== 'span' && k !== 'metric') || (this.#view.zoomable ?? false);
  }

  /** near the screen: within half a screen of it. */
  get near(): boolean {
    const { top, bottom } = this.#box.getBoundingClientRect();
    return bottom > -innerHeight / 2 && top < innerHeight * 1.5;
  }

  drawForPaper(): void {
    this.draw(PAPER);
  }

  #taken(figure: HTMLElement): Taken | null {
    const svg = this.#box.querySelector('svg');
    if (!svg) return null;
    const c = context(this.#page, this.#box, this.#width);
    return {
      svg,
      name: this.#chart.name,
      title: figure.querySelector('figcaption')?.textContent ?? '',
      sentence: sentenceOf(figure),
      run: c.model.run,
      scope: [c.model.run, c.model.scope].filter(Boolean).join(' – '),
      colours: { ink: c.tokens.ink, muted: c.tokens.muted, ground: c.ground, font: c.font },
      rows: () => this.#chart.rows(c.model),
    };
  }

  #listen(): void {
    new ResizeObserver(() => {
      if (this.#box.clientWidth && this.#box.clientWidth !== this.#width) this.draw();
    }).observe(this.#box.parentElement!);
    const zr = this.#ec.getZr();
    const drag = bindDrag(zr, {
      active: () => this.#view.zoomable ?? false,
      band: (x0, x1) => this.#overlay.band(x0, x1, this.#view.height, this.#page.theme.tokens),
      done: (from, to) => this.#zoomPixels(from, to),
    });
    zr.on('mousemove', (e) => {
      if (!drag.dragging()) this.#visit(this.#hit(e.offsetX, e.offsetY), false);
    });
    zr.on('globalout', () => this.#visit(null, false));
    zr.on('dblclick', () => this.#zoomBy(0));
    bindKeys(this.#box, {
      stops: () => this.#view.stops,
      at: () => this.#at,
      visit: (stop) => this.#visit(stop, true),
      zoom: (factor) => this.#zoomBy(factor),
    });
  }

  #place(): Map<Stop, Pixel> {
    this.#pixels ??= new Map(
      this.#view.stops.map((s) => [s, this.#ec.convertToPixel({ gridIndex: s.grid }, [s.x, s.y]) as Pixel]),
    );
    return this.#pixels;
  }

  #hit(x: number, y: number): Stop | null {
    const column = this.#view.hit === 'column';
    let best: Stop | null = null;
    let least = Infinity;
    const panel = column ? this.#panelAt(x, y) : null;
    for (const [stop, [px, py]] of this.#place()) {
      if (column && stop.grid !== panel) continue;
      const aside = stop.wide ? this.#beside(stop, stop.wide, x) : Math.abs(px - x);
      const distance = column ? aside * 1000 + Math.abs(py - y) : Math.hypot(aside, py - y);
      if (distance < least) [best, least] = [stop, distance];
    }
    if (column || least <= REACH) return best;
    return this.#view.hit === 'row' ? this.#rowAt(y) : null;
  }

  /** beside is how far x is from a mark with an extent. */
  #beside(stop: Stop, wide: [number, number], x: number): number {
    const [from, to] = wide.map((v) => (this.#ec.convertToPixel({ gridIndex: stop.grid }, [v, stop.y]) as Pixel)[0]) as [number, number];
    return Math.max(0, from - x, x - to);
  }

  #rowAt(y: number): Stop | null {
    for (const [stop, [, py]] of this.#place()) if (Math.abs(py - y) <= REACH) return stop;
    return null;
  }

  #panelAt(x: number, y: number): number | null {
    const inside = (p: Panel) => x >= p.x - 4 && x <= p.x + p.width + 4 && y >= p.y && y <= p.y + p.height;
    const found = this.#view.panels.findIndex(inside);
    return found < 0 ? null : found;
  }

  #visit(stop: Stop | null, byKey: boolean): void {
    if (stop === this.#at && !byKey) return;
    this.#at = stop;
    if (!stop) {
      this.#overlay.clear();
      this.#tips.hide();
      return;
    }
    const pixels = this.#place();
    this.#overlay.light(this.#view, stop, pixels, this.#page.theme.tokens, byKey);
    const [x, y] = pixels.get(stop)!;
    const frame = this.#box.getBoundingClientRect();
    const tip = stop.tip();
    this.#tips.show(tip, frame.left + x, frame.top + y, this.#view.hit === 'row');
    // A pointer says where it is; only keys need the words.
    if (byKey) this.#tips.say(spoken(tip));
  }

  #zoomPixels(from: Pixel, to: Pixel): void {
    const panel = this.#panelAt(...from) ?? 0;
    const ends = [from, to].map((p) => (this.#ec.convertFromPixel({ gridIndex: panel }, p) as number[])[0]!);
    this.#setZoom([Math.min(...ends), Math.max(...ends)]);
  }

  /** factor 0 shows everything again; below 1 narrows round the point visited. */
  #zoomBy(factor: number): void {
    if (!this.#view.zoomable) return;
    if (factor === 0) return this.#setZoom(null);
    const xs = this.#view.stops.map((s) => s.x);
    const whole: [number, number] = [xs.reduce((a, b) => Math.min(a, b)), xs.reduce((a, b) => Math.max(a, b))];
    const [lo, hi] = this.#page.store.choices.span ?? whole;
    const middle = this.#at?.x ?? (lo + hi) / 2;
    const next: [number, number] = [middle - (middle - lo) * factor, middle + (hi - middle) * factor];
    this.#setZoom(next[1] - next[0] >= whole[1] - whole[0] && factor > 1 ? null : next);
  }

  #setZoom(zoom: [number, number] | null): void {
    if (zoom && zoom[1] - zoom[0] < 1) return;
    this.#page.store.set({ span: zoom });
    this.#tips.hide();
    this.#tips.say(zoom ? say('zoomed', { from: zoom[0].toFixed(0), to: zoom[1].toFixed(0) }) : say('zoomed-out'));
  }
}

function context(page: Page, box: HTMLElement, width: number): Context {
  const { model, theme, store } = page;
  const font = getComputedStyle(box).fontFamily;
  const ground = theme.printing ? '#FFFFFF' : groundOf(box);
  return { model, width, font, ground, tokens: theme.tokens, patterned: theme.patterned, choices: store.choices };
}

/** groundOf is the first background, going outwards, that is not see-through. */
function groundOf(box: HTMLElement): string {
  for (let e: HTMLElement | null = box; e; e = e.parentElement) {
    const colour = getComputedStyle(e).backgroundColor;
    if (!/^(transparent|rgba\(.*, 0\))$/.test(colour)) return colour;
  }
  return '#FFFFFF';
}

// Places are given in pixels and kept: the library would otherwise shrink a panel
// whose labels it thinks too long, and panels side by side would not line up.
function option(c: Context, view: View): Option {
  const grid = view.panels.map((p) => ({
    left: p.x,
    top: p.y,
    width: p.width,
    height: p.height,
    outerBoundsMode: 'none',
  }));
  const textStyle = { fontFamily: c.font, color: c.tokens.ink };
  return { animation: false, textStyle, grid, ...view.option };
}

function toolbar(tools: HTMLElement[]): HTMLElement {
  const bar = document.createElement('div');
  bar.className = 'tare-tools';
  bar.append(...tools);
  return bar;
}

// role=application: the arrow keys belong to the chart while it has the focus. The
// table below is the equal alternative for who would rather read on.
function label(box: HTMLElement, chart: Chart, figure: HTMLElement): void {
  const sentence = sentenceOf(figure);
  box.tabIndex = 0;
  box.setAttribute('role', 'application');
  box.setAttribute('aria-roledescription', say('chart'));
  box.setAttribute('aria-label', [sentence.slice(0, 400), say(chart.help)].filter(Boolean).join(' '));
}

/** sentenceOf the section that a figure stands in. */
function sentenceOf(figure: HTMLElement): string {
  const section = figure.closest('section') ?? figure;
  return section.querySelector('.sentence, p')?.textContent?.trim().replace(/\s+/g, ' ') ?? '';
}
