// The tip beside a point, and the same words for screen readers. Built with
// textContent only, so a name cannot become markup.

/** TipRow is one line: what it is, and its value. */
export interface TipRow {
  colour?: string;
  name: string;
  value: string;
}

export interface Tip {
  title: string;
  rows: TipRow[];
  note?: string;
}

/** spoken is a tip as one sentence. */
export function spoken(tip: Tip): string {
  const rows = tip.rows.map((r) => (r.name ? `${r.name}: ${r.value}` : r.value));
  return [tip.title, ...rows, tip.note ?? ''].filter(Boolean).join('; ');
}

/** TipBox is the one tip of the page and the live region that says it aloud. */
export class TipBox {
  readonly #box = document.createElement('div');
  readonly #live = document.createElement('div');

  constructor() {
    this.#box.className = 'tare-tip';
    this.#box.setAttribute('aria-hidden', 'true');
    this.#box.hidden = true;
    this.#live.className = 'tare-live';
    this.#live.setAttribute('role', 'status');
    this.#live.setAttribute('aria-live', 'polite');
    document.body.append(this.#box);
    (document.querySelector('main') ?? document.body).append(this.#live);
  }

  /**
   * show puts the tip beside a place on the screen (client coordinates), or below it
   * where the row itself must stay readable.
   */
  show(tip: Tip, x: number, y: number, below: boolean): void {
    this.#box.replaceChildren(...render(tip));
    this.#box.hidden = false;
    const { offsetWidth: w, offsetHeight: h } = this.#box;
    const wide = document.documentElement.clientWidth;
    const beside = x + 14 + w < wide ? x + 14 : x - 14 - w;
    const left = Math.max(4, Math.min(below ? x - w / 2 : beside, wide - w - 4));
    const under = y + 24 + h < innerHeight ? y + 24 : y - 24 - h;
    const top = Math.max(4, below ? under : Math.min(y - h / 2, innerHeight - h - 4));
    // Set through the object model: the policy forbids style attributes in markup.
    this.#box.style.left = `${left + scrollX}px`;
    this.#box.style.top = `${top + scrollY}px`;
  }

  say(text: string): void {
    this.#live.textContent = text;
  }

  hide(): void {
    this.#box.hidden = true;
  }
}

function element(tag: string, className: string, text: string): HTMLElement {
  const e = document.createElement(tag);
  e.className = className;
  e.textContent = text;
  return e;
}

function render(tip: Tip): HTMLElement[] {
  const rows = tip.rows.map((r) => {
    const row = element('div', 'tare-tip-row', '');
    const mark = element('span', 'tare-tip-mark', '');
    if (r.colour) mark.style.background = r.colour;
    else mark.hidden = true;
    row.append(mark, element('span', 'tare-tip-name', r.name), element('span', 'tare-tip-value', r.value));
    return row;
  });
  const note = tip.note ? [element('div', 'tare-tip-note', tip.note)] : [];
  return [element('div', 'tare-tip-title', tip.title), ...rows, ...note];
}
