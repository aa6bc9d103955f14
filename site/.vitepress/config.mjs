// The documentation site: docs/ as it stands, built by VitePress into static files.
// scripts/site.sh copies the pages here, because their imports are resolved from where
// they lie.
// Nothing is fetched from elsewhere when a page is read.

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';

const docs = fileURLToPath(new URL('../pages/', import.meta.url));

/** The first heading of a page is its name; a page that is left out below still has a place. */
const title = (file) => /^# (.+)$/m.exec(readFileSync(docs + file, 'utf8'))?.[1] ?? file;
const page = (name) => ({ text: title(`${name}.md`), link: `/${name}` });

const groups = [
  { text: 'Measure', pages: ['install', 'spec', 'workloads', 'capture', 'import', 'kubernetes', 'replication', 'load', 'watching'] },
  { text: 'Read', pages: ['report', 'gallery', 'serve', 'export', 'record', 'names'] },
  { text: 'Diagnose and fix', pages: ['live', 'lint', 'rules', 'remedy'] },
  { text: 'How it works', pages: ['method', 'slices', 'statistics', 'architecture', 'lab'] },
  { text: 'Results', pages: ['studies', 'calibration', 'performance', 'capture', 'remedies', 'lab', 'reliability'].map((name) => `results/${name}`) },
];

function sidebar() {
  const named = new Set(['index', ...groups.flatMap((g) => g.pages)]);
  const others = readdirSync(docs).filter((f) => f.endsWith('.md')).map((f) => f.slice(0, -3)).filter((name) => !named.has(name));
  return [...groups, { text: 'More', pages: others }]
    .filter((g) => g.pages.length > 0)
    .map((g) => ({ text: g.text, items: g.pages.map(page) }));
}

export default defineConfig({
  title: 'tare',
  description: 'What Kubernetes costs a MySQL database, where it goes, and how to take it off.',
  srcDir: './pages',
  outDir: './dist',
  cacheDir: './.cache',
  lang: 'en',
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  base: process.env.TARE_SITE_BASE ?? '/',
  cleanUrls: false,
  // Reports and schemas are files of the site, not pages of it; ../ leads into the repository.
  ignoreDeadLinks: [/reports\//, /^(\.\/)?\.\.\//, /\.json$/],
  // What stands in the docs between < and > is text, and {{ }} is no program.
  markdown: {
    html: false,
    config: (md) => {
      const text = md.renderer.rules.text;
      md.renderer.rules.text = (tokens, i, ...rest) => text(tokens, i, ...rest).replaceAll('{{', '&#123;&#123;');
    },
  },
  vite: { publicDir: fileURLToPath(new URL('../public/', import.meta.url)) },
  themeConfig: {
    sidebar: sidebar(),
    outline: [2, 3],
    search: { provider: 'local' },
    nav: [{ text: 'Gallery', link: '/gallery' }, { text: 'The experiment file', link: '/spec' }, { text: 'Method', link: '/method' }],
    docFooter: { prev: false, next: false },
  },
});
