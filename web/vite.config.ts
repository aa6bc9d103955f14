import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin, type UserConfig } from 'vite';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

// The report's page, and the pages that `tare serve` has beside it (--mode serve).
const built = {
  page: { entry: 'src/main.ts', folder: '../internal/report/page', file: 'page.js' },
  serve: { entry: 'src/serve.ts', folder: '../internal/serve/page', file: 'serve.js' },
};

const own = 'Apache-2.0. Built by web/; do not edit.';

// What is linked in keeps its licence (Apache-2.0 section 4, BSD-3-Clause).
function notice(): string {
  const version = (name: string) => JSON.parse(readFileSync(here(`node_modules/${name}/package.json`), 'utf8')).version as string;
  const bsd = readFileSync(here('node_modules/zrender/LICENSE'), 'utf8').trim();
  return `/*!
tare report page, ${own}
Contains Apache ECharts ${version('echarts')}, Apache-2.0, Copyright 2017-2026 The Apache Software Foundation;
tslib, 0BSD, Microsoft Corporation; zrender ${version('zrender')}:
${bsd}
*/`;
}

// The file stands inside a script element, where these would end it or hide it
// from the parser. In strings and regular expressions the backslash changes nothing.
function inlineable(notice: string): Plugin {
  return {
    name: 'inlineable',
    enforce: 'post',
    generateBundle(_, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type !== 'chunk') continue;
        file.code = `${notice}\n${file.code.trim()}\n`.replaceAll(/<\/(?=script)/gi, '<\\/');
        if (file.code.includes('<!--')) this.error('the bundle contains "<!--"');
      }
    },
  };
}

export default defineConfig(({ mode }) => {
  const of = mode === 'serve' ? built.serve : built.page;
  return {
    plugins: [inlineable(of === built.page ? notice() : `/*! tare serve, ${own} */`)],
    define: { 'process.env.NODE_ENV': '"production"' },
    build: {
      target: 'es2022',
      outDir: here(of.folder),
      // The folder holds the page's other parts, written by hand.
      emptyOutDir: false,
      copyPublicDir: false,
      lib: { entry: here(of.entry), formats: ['iife'], name: 'tare', fileName: () => of.file },
      minify: true,
      reportCompressedSize: false,
    },
    // Like e2e/vitest.config.ts: no limits on how fast anything is, only on how long a failure takes.
    test: { include: ['test/**/*.test.ts'], testTimeout: 600000 },
  } as UserConfig;
});
