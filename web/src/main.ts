// The page works without any of this: Go has written every sentence and table. What
// follows draws the charts into their figures and adds the controls.

import { attribution } from './charts/attribution';
import { calendar } from './charts/calendar';
import { budget } from './charts/budget';
import { correlation } from './charts/correlation';
import { distribution } from './charts/distribution';
import { events } from './charts/events';
import { evidence } from './charts/evidence';
import { heat } from './charts/heat';
import { intervals } from './charts/intervals';
import { latency } from './charts/latency';
import { probes } from './charts/probes';
import { rounds } from './charts/rounds';
import { scaling } from './charts/scaling';
import { seconds } from './charts/seconds';
import { series } from './charts/series';
import { addCopyButtons } from './copy';
import { readDocument } from './document';
import { Host } from './host';
import { build } from './model';
import { preparePaper } from './paper';
import { Store } from './store';
import css from './style.css?inline';
import { Theme, themeSwitch } from './theme';
import { TipBox } from './tip';
import { inTurn, Redraw } from './turns';
import type { Chart } from './view';
import { readWords, say, worded } from './words';
import { Languages } from './languages';

const charts: readonly Chart[] = [intervals, attribution, events, budget, evidence, correlation, rounds, series, seconds, latency, distribution, heat, scaling, probes, calendar];

function start(): void {
  const doc = readDocument(document);
  if (!doc) return;
  // A constructed style sheet: the page's policy admits no style elements but its own.
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];

  const store = new Store();
  const theme = new Theme(store);
  const words = readWords(document);
  const languages = words && new Languages(words, store);
  const model = () => build({ ...doc, scope: document.querySelector('.scope')?.textContent ?? doc.scope ?? '' });
  const page = { model: model(), store, theme };
  const tips = new TipBox();
  if (languages && words.languages.length > 1) controls().append(languages.choice());
  controls().append(themeSwitch(store));
  addCopyButtons(store, (text) => tips.say(text));
  addFigure();
  const hosts: Host[] = [];
  const redraw = new Redraw();
  let spoken = languages?.tag;
  store.listen((change) => {
    if (spoken !== languages?.tag) page.model = model();
    spoken = languages?.tag;
    redraw.all(hosts.filter((h) => h.heeds(change)));
  });
  const rest = figures().map(([figure, chart]) => () => {
    const host = Host.mount(page, chart, figure, tips);
    if (host) hosts.push(host);
  });
  preparePaper(theme, hosts, () => rest.splice(0).forEach((mount) => mount()));
  // The hash holds more than a section's name, so the browser did not go there.
  const arrive = () => store.section && document.getElementById(store.section)?.scrollIntoView();
  // The first chart at once: it is the answer.
  rest.shift()?.();
  performance.mark('tare-first');
  inTurn(rest, () => {
    arrive();
    document.documentElement.dataset['charts'] = String(hosts.length);
    performance.mark('tare-drawn');
  });
}

/** figures of the page in its order, each with the chart it asks for. */
function figures(): [HTMLElement, Chart][] {
  return [...document.querySelectorAll<HTMLElement>('figure[data-chart]')].flatMap((figure): [HTMLElement, Chart][] => {
    const chart = charts.find((c) => c.name === figure.dataset['chart']);
    return chart ? [[figure, chart]] : [];
  });
}

// The seconds' spread needs scripts to be drawn and adds nothing to the tables, so
// the page may leave its figure to us: it stands after the seconds themselves.
function addFigure(): void {
  const before = document.querySelector('figure[data-chart="series"]');
  if (!before || document.querySelector('figure[data-chart="seconds"]')) return;
  const figure = document.createElement('figure');
  figure.dataset['chart'] = 'seconds';
  const caption = document.createElement('figcaption');
  worded(() => (caption.textContent = say('fig-seconds')));
  const box = document.createElement('div');
  box.className = 'chart';
  figure.append(caption, box);
  before.after(figure);
}

function controls(): Element {
  return document.querySelector('[data-controls]') ?? document.querySelector('header') ?? document.body;
}

start();
