// Pages as tare writes them: of the documents made here, and of the recorded runs and
// compared runs of the Go tests.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { documents } from './documents';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const out = here('./out/');
const golden = here('../../internal/report/testdata/golden/');
const recorded = here('../../internal/report/testdata/runs/');

/** names of all documents: own ones, then the Go tests' with "golden-" before them. */
export function names(): string[] {
  const compared = readdirSync(golden).filter((f) => f.startsWith('sessions-') && f.endsWith('.json'));
  const others = [...readdirSync(recorded), ...compared.map((f) => f.replace('.json', ''))];
  return [...Object.keys(documents), ...others.map((f) => `golden-${f}`)];
}

/** Pages that somebody asked for in a language; all others begin in their reader's. */
const ASKED: [string, string][] = [['golden-demo', 'en'], ['golden-demo', 'zh']];

/** page is the file with the page of a document, in the language that was asked for. */
export const page = (name: string, lang?: string): string => `${out}${name}${lang ? `.${lang}` : ''}.html`;

/** setup writes all pages, once for all checks, with the script that `npm run build` left. */
export default function setup(): void {
  mkdirSync(out, { recursive: true });
  const writer = `${out}render`;
  execFileSync('go', ['build', '-o', writer, 'web/e2e/render.go'], { cwd: here('../..') });
  for (const [name, lang] of [...names().map((n): [string, string?] => [n]), ...ASKED]) {
    const own = name.replace(/^golden-/, '');
    const run = name in documents || own.startsWith('sessions-') ? [] : ['-run', recorded + own];
    const json = name in documents ? Buffer.from(JSON.stringify(documents[name])) : run.length ? '' : readFileSync(`${golden}${own}.json`);
    const args = [...run, ...(lang ? ['-lang', lang] : [])];
    writeFileSync(page(name, lang), execFileSync(writer, args, { input: json, maxBuffer: 1 << 28 }));
  }
}
