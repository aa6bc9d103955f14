// Taking a chart away: as a picture that still says what it shows and of which run,
// or as the numbers it is drawn from.

import { csv, put } from './copy';
import { visible, wrap } from './format';
import { say, worded, type Word } from './words';

const NS = 'http://www.w3.org/2000/svg';
const EDGE = 20;
const LINE = 18;
/** A picture for slides: twice the pixels of the screen. */
const SHARP = 2;

export type Cells = (string | number | boolean | null)[][];

/** Taken is what a chart gives away: its drawing, words for it, and its numbers. */
export interface Taken {
  name: string;
  run: string;
  title: string;
  sentence: string;
  scope: string;
  svg: SVGSVGElement;
  colours: { ink: string; muted: string; ground: string; font: string };
  rows: () => Cells;
}

/** takeBar is the buttons: copy the picture, save it as PNG or SVG, save the numbers. */
export function takeBar(taken: () => Taken | null, tell: (text: string) => void, label: () => string): HTMLElement {
  const bar = document.createElement('div');
  bar.className = 'tare-take';
  const add = (text: Word, what: Word, act: (t: Taken) => Promise<string>) => {
    const b = document.createElement('button');
    b.type = 'button';
    b.className = 'tare-button tare-quiet';
    worded(() => {
      b.textContent = say(text);
      b.setAttribute('aria-label', `${say(what)}: ${label()}`);
    });
    b.addEventListener('click', () => {
      const t = taken();
      if (t) act(t).then(tell, () => tell(say('not-allowed')));
    });
    bar.append(b);
  };
  add('copy', 'copy.picture', copyPicture);
  add('png', 'save.png', async (t) => save(await png(picture(t)), fileName(t, 'png')));
  add('svg', 'save.svg', async (t) => save(new Blob([picture(t).text], { type: 'image/svg+xml' }), fileName(t, 'svg')));
  add('csv', 'save.csv', async (t) => save(new Blob([csv(t.rows().map((r) => r.map(cell)))], { type: 'text/csv' }), fileName(t, 'csv')));
  return bar;
}

// Not known is an empty cell, never a zero.
const cell = (v: string | number | boolean | null): string => (v === null ? '' : String(v));

function fileName(t: Taken, ending: string): string {
  return `tare-${visible(t.run, 60)}-${t.name}.${ending}`.replace(/[^A-Za-z0-9._-]+/g, '-');
}

async function copyPicture(t: Taken): Promise<string> {
  if (typeof ClipboardItem === 'undefined') return (await put(picture(t).text)) ? say('copied.svg') : say('not-copied');
  await navigator.clipboard.write([new ClipboardItem({ 'image/png': png(picture(t)) })]);
  return say('copied');
}

/** save hands a file to the browser; nothing leaves the page. */
function save(blob: Blob, name: string): string {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  return say('saved', { file: name });
}

interface Picture {
  text: string;
  width: number;
  height: number;
}

/** picture puts the title, the sentence and the scope round the drawing. */
function picture(t: Taken): Picture {
  const { width, height } = t.svg.getBoundingClientRect();
  const wide = Math.ceil(width) + 2 * EDGE;
  const head: [string, boolean][] = [[t.title, true], ...wrap(t.sentence, wide - 2 * EDGE, 6, 13).map((s): [string, boolean] => [s, false])];
  const foot = wrap(t.scope, wide - 2 * EDGE, 6, 13);
  const top = EDGE + head.length * LINE + 12;
  const high = Math.ceil(top + height + 14 + foot.length * LINE + EDGE / 2);
  const root = node('svg', { xmlns: NS, width: wide, height: high, viewBox: `0 0 ${wide} ${high}` });
  root.append(node('rect', { width: wide, height: high, fill: t.colours.ground }));
  const write = (words: string, line: number, y: number, bold: boolean, fill: string) => {
    const e = node('text', { x: EDGE, y: y + line * LINE, fill, 'font-family': t.colours.font, 'font-size': bold ? 15 : 13, 'font-weight': bold ? 600 : 400 });
    e.textContent = words;
    root.append(e);
  };
  head.forEach(([words, bold], i) => write(words, i, EDGE + 10, bold, bold ? t.colours.ink : t.colours.muted));
  const drawing = t.svg.cloneNode(true) as SVGSVGElement;
  for (const [k, v] of Object.entries({ x: EDGE, y: top, width, height })) drawing.setAttribute(k, String(v));
  root.append(drawing);
  foot.forEach((words, i) => write(words, i, top + height + 24, false, t.colours.muted));
  return { text: new XMLSerializer().serializeToString(root), width: wide, height: high };
}

function node(tag: string, attributes: Record<string, string | number>): SVGElement {
  const e = document.createElementNS(NS, tag);
  for (const [k, v] of Object.entries(attributes)) if (k !== 'xmlns') e.setAttribute(k, String(v));
  return e;
}

async function png(p: Picture): Promise<Blob> {
  const image = await loaded(`data:image/svg+xml;charset=utf-8,${encodeURIComponent(p.text)}`);
  const canvas = document.createElement('canvas');
  canvas.width = p.width * SHARP;
  canvas.height = p.height * SHARP;
  canvas.getContext('2d')!.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done, failed) => canvas.toBlob((b) => (b ? done(b) : failed(new Error('no picture'))), 'image/png'));
}

// Not image.decode(): the browser fulfils it with a frame that it draws, and one that has no time to
// draw, or a tab that nobody sees, may never get there.
function loaded(src: string): Promise<HTMLImageElement> {
  return new Promise((done, failed) => {
    const image = new Image();
    image.onload = () => done(image);
    image.onerror = () => failed(new Error('no picture'));
    image.src = src;
  });
}
