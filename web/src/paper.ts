// Paper: light colours, charts as wide as the sheet, tables open.

import type { Host } from './host';
import type { Theme } from './theme';

/** preparePaper follows the printer: before it draws, and back to the screen after. drawAll draws what waits for its turn. */
export function preparePaper(theme: Theme, hosts: readonly Host[], drawAll: () => void): void {
  const opened: HTMLDetailsElement[] = [];
  addEventListener('beforeprint', () => {
    theme.printing = true;
    drawAll();
    // Marked ones only, where any is marked: a page of every second helps nobody.
    const marked = document.querySelectorAll<HTMLDetailsElement>('details[data-print]:not([open])');
    for (const d of marked) {
      d.open = true;
      opened.push(d);
    }
    for (const h of hosts) h.drawForPaper();
  });
  addEventListener('afterprint', () => {
    theme.printing = false;
    for (const d of opened.splice(0)) d.open = false;
    for (const h of hosts) h.draw();
  });
}
