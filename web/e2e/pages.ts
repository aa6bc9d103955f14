// Pages as tare writes them: of the documents made here, and of the golden results
// of the Go tests.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { documents } from './documents';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const out = here('./out/');
const golden = here('../../internal/report/testdata/golden/');

/** built is the writer of pages, with the script that `npm run build` left. */
function built(): string {
  mkdirSync(out, { recursive: true });
  execFileSync('go', ['build', '-o', `${out}render`, 'web/e2e/render.go'], { cwd: here('../..') });
  return `${out}render`;
}

let writer: string | null = null;

/** names of all documents: own ones, then the Go tests' with "golden-" before them. */
export function names(): string[] {
  // sessions-*.json are comparisons of two runs, which have no page yet.
  const others = readdirSync(golden).filter((f) => f.endsWith('.json') && !f.startsWith('sessions-'));
  return [...Object.keys(documents), ...others.map((f) => `golden-${f.replace('.json', '')}`)];
}

/** page writes the page of a document and returns the file's name. */
export function page(name: string): string {
  writer ??= built();
  const json = name.startsWith('golden-')
    ? readFileSync(`${golden}${name.slice('golden-'.length)}.json`)
    : Buffer.from(JSON.stringify(documents[name]));
  const file = `${out}${name}.html`;
  writeFileSync(file, execFileSync(writer, { input: json, maxBuffer: 1 << 28 }));
  return file;
}
