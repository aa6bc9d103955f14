// Lines over a fill, for paper and for systems that have one colour: parts that lie side
// by side are then told apart by their pattern.

const STEP = 6;

/** hatch is the path of a pattern's lines within a rectangle; pattern 0 has none. */
export function hatch(pattern: number, x: number, y: number, width: number, height: number): string {
  switch (pattern % 8) {
    case 1:
      return slanted(x, y, width, height, STEP, false);
    case 2:
      return slanted(x, y, width, height, STEP, true);
    case 3:
      return level(x, y, width, height, STEP);
    case 4:
      return upright(x, y, width, height, STEP);
    case 5:
      return slanted(x, y, width, height, STEP, false) + slanted(x, y, width, height, STEP, true);
    case 6:
      return slanted(x, y, width, height, 2 * STEP, false);
    case 7:
      return level(x, y, width, height, STEP) + upright(x, y, width, height, STEP);
    default:
      return '';
  }
}

const stroke = (x1: number, y1: number, x2: number, y2: number): string => `M${x1.toFixed(1)} ${y1.toFixed(1)}L${x2.toFixed(1)} ${y2.toFixed(1)}`;

// Lines of x + y = k, cut at the rectangle; falling ones are their mirror image.
function slanted(x: number, y: number, width: number, height: number, step: number, falling: boolean): string {
  let path = '';
  for (let k = step / 2; k < width + height; k += step) {
    const [left, right] = [Math.max(0, k - height), Math.min(width, k)];
    const place = (v: number) => (falling ? x + width - v : x + v);
    path += stroke(place(left), y + k - left, place(right), y + k - right);
  }
  return path;
}

function level(x: number, y: number, width: number, height: number, step: number): string {
  let path = '';
  for (let k = step / 2; k < height; k += step) path += stroke(x, y + k, x + width, y + k);
  return path;
}

function upright(x: number, y: number, width: number, height: number, step: number): string {
  let path = '';
  for (let k = step / 2; k < width; k += step) path += stroke(x + k, y, x + k, y + height);
  return path;
}
