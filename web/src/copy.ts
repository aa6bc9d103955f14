// Copy buttons: a table as CSV, a section as a link.

import type { Store } from './store';
import { say, worded, type Word } from './words';

/** csv of rows: RFC 4180, cells quoted where they must be. Values are never altered. */
export function csv(rows: readonly (readonly string[])[]): string {
  const cell = (s: string) => (/[",\r\n]/.test(s) ? `"${s.replaceAll('"', '""')}"` : s);
  return rows.map((r) => r.map(cell).join(',') + '\r\n').join('');
}

/** rowsOf a table as the reader sees it; spaces that only lay out are joined. */
export function rowsOf(table: HTMLTableElement): string[][] {
  return [...table.rows].map((r) =>
    [...r.cells].map((cell) => (cell.textContent ?? '').replace(/[\u00a0\u2009\u202f]/g, ' ').replace(/\s+/g, ' ').trim()),
  );
}

/** addCopyButtons puts one above each table and one beside each section's heading. */
export function addCopyButtons(store: Store, tell: (text: string) => void): void {
  for (const table of document.querySelectorAll('table')) {
    // The first screen repeats a table of its section.
    if (table.rows.length < 2 || table.closest('.pair')) continue;
    const b = button('copy.csv', () => `${say('copy.csv')}: ${name(table)}`);
    b.addEventListener('click', () => copy(b, csv(rowsOf(table)), tell));
    const bar = document.createElement('div');
    bar.className = 'tare-tools tare-copy';
    bar.append(b);
    // A table may scroll sideways in a box of its own; the button stays still.
    const box = table.parentElement?.children.length === 1 && table.parentElement.tagName === 'DIV' ? table.parentElement : table;
    box.before(bar);
  }
  for (const section of document.querySelectorAll<HTMLElement>('section[id]')) {
    const heading = section.querySelector(':scope > h1, :scope > h2');
    if (!heading) continue;
    const b = button('copy.link', () => `${say('copy.link-to')}: ${heading.textContent?.trim() ?? ''}`);
    b.classList.add('tare-link');
    b.addEventListener('click', () => copy(b, store.link(section.id), tell));
    heading.after(b);
  }
}

function name(table: HTMLTableElement): string {
  const caption = table.caption?.textContent ?? table.closest('section')?.querySelector('h1, h2')?.textContent;
  return (caption ?? say('table')).trim();
}

function button(text: Word, label: () => string): HTMLButtonElement {
  const b = document.createElement('button');
  b.type = 'button';
  b.className = 'tare-button tare-quiet';
  b.dataset['name'] = text;
  worded(() => {
    b.textContent = say(text);
    b.setAttribute('aria-label', label());
  });
  return b;
}

async function copy(b: HTMLButtonElement, text: string, tell: (text: string) => void): Promise<void> {
  const done = await put(text);
  b.textContent = say(done ? 'copied' : 'not-copied');
  tell(say(done ? 'copied' : 'copy.not-allowed'));
  setTimeout(() => (b.textContent = say(b.dataset['name'] as Word)), 1600);
}

// The clipboard API is missing on pages that are not "secure"; the older way works there.
export async function put(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement('textarea');
    area.className = 'tare-live';
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    return done;
  }
}
