// Drawing in turn. A large run takes a second to draw; done at once, the page would
// stand still for it at every choice.

/** inTurn runs steps one after another, with a pause for scrolling and keys between. */
export function inTurn(steps: (() => void)[], done: () => void): void {
  const next = () => {
    steps.shift()?.();
    if (steps.length) setTimeout(next);
    else done();
  };
  setTimeout(next);
}

/** Drawn is something that is on the screen or not, and can be drawn again. */
export interface Drawn {
  readonly near: boolean;
  draw(): void;
}

/**
 * Redraw draws what the reader sees at once and the rest in turn. A later call
 * replaces an earlier one, whose rest nobody needs any more.
 */
export class Redraw {
  #call = 0;

  all(drawn: readonly Drawn[]): void {
    const call = ++this.#call;
    for (const d of drawn) if (d.near) d.draw();
    const rest = drawn.filter((d) => !d.near).map((d) => () => call === this.#call && d.draw());
    inTurn(rest, () => {});
  }
}
