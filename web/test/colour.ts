// Colour arithmetic for the palette's test.

type Triple = [number, number, number];

export const VISIONS = ['normal', 'protan', 'deutan', 'tritan'] as const;
type Vision = (typeof VISIONS)[number];

// Machado, Oliveira, Fernandes 2009, severity 1.0; for linear RGB.
const MACHADO: Record<Exclude<Vision, 'normal'>, number[]> = {
  protan: [0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998],
  deutan: [0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.01182, 0.04294, 0.968881],
  tritan: [1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.3039],
};

const parse = (hex: string): Triple => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16) / 255) as Triple;
const linear = (v: number) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
const gamma = (v: number) => (v <= 0.0031308 ? 12.92 * v : 1.055 * v ** (1 / 2.4) - 0.055);
const write = (c: Triple) => '#' + c.map((v) => Math.round(Math.min(1, Math.max(0, v)) * 255).toString(16).padStart(2, '0')).join('');

function luminance(hex: string): number {
  const [r, g, b] = parse(hex).map(linear) as Triple;
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** contrast is the ratio of WCAG 2. */
export function contrast(a: string, b: string): number {
  const [hi, lo] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (hi + 0.05) / (lo + 0.05);
}

/** over is a colour laid on another with an opacity. */
export function over(top: string, ground: string, opacity: number): string {
  const g = parse(ground);
  return write(parse(top).map((v, i) => v * opacity + g[i]! * (1 - opacity)) as Triple);
}

/** simulate is a colour as a reader of another vision sees it. */
export function simulate(hex: string, vision: Vision): string {
  if (vision === 'normal') return hex;
  const m = MACHADO[vision];
  const rgb = parse(hex).map(linear);
  const seen = [0, 1, 2].map((row) => rgb.reduce((s, v, i) => s + m[3 * row + i]! * v, 0));
  return write(seen.map((v) => gamma(Math.max(0, v))) as Triple);
}

function lab(hex: string): Triple {
  const [r, g, b] = parse(hex).map(linear) as Triple;
  const white = [0.95047, 1, 1.08883];
  const xyz = [0.4124564 * r + 0.3575761 * g + 0.1804375 * b, 0.2126729 * r + 0.7151522 * g + 0.072175 * b, 0.0193339 * r + 0.119192 * g + 0.9503041 * b];
  const [x, y, z] = xyz.map((v, i) => v / white[i]!).map((v) => (v > 216 / 24389 ? Math.cbrt(v) : (24389 / 27 * v + 16) / 116)) as Triple;
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

export const lightness = (hex: string): number => lab(hex)[0];

/** difference is CIEDE2000 of two colours. */
export const difference = Object.assign((a: string, b: string) => ciede2000(lab(a), lab(b)), { lab: ciede2000 });

const rad = Math.PI / 180;

// Sharma, Wu, Dalal 2005, equations (2) to (22).
function ciede2000(one: readonly number[], two: readonly number[]): number {
  const [L1, a1, b1] = one as Triple;
  const [L2, a2, b2] = two as Triple;
  const mean = (Math.hypot(a1, b1) + Math.hypot(a2, b2)) / 2;
  const G = 0.5 * (1 - Math.sqrt(mean ** 7 / (mean ** 7 + 25 ** 7)));
  const [C1, C2] = [Math.hypot((1 + G) * a1, b1), Math.hypot((1 + G) * a2, b2)];
  const hue = (a: number, b: number) => (a === 0 && b === 0 ? 0 : (Math.atan2(b, (1 + G) * a) / rad + 360) % 360);
  const [h1, h2] = [hue(a1, b1), hue(a2, b2)];
  let dh = h2 - h1;
  if (C1 * C2 === 0) dh = 0;
  else if (dh > 180) dh -= 360;
  else if (dh < -180) dh += 360;
  const dL = L2 - L1;
  const dC = C2 - C1;
  const dH = 2 * Math.sqrt(C1 * C2) * Math.sin((dh / 2) * rad);
  const L = (L1 + L2) / 2;
  const C = (C1 + C2) / 2;
  let h = h1 + h2;
  if (C1 * C2 !== 0) h = Math.abs(h1 - h2) <= 180 ? h / 2 : h < 360 ? (h + 360) / 2 : (h - 360) / 2;
  const T = 1 - 0.17 * Math.cos((h - 30) * rad) + 0.24 * Math.cos(2 * h * rad) + 0.32 * Math.cos((3 * h + 6) * rad) - 0.2 * Math.cos((4 * h - 63) * rad);
  const SL = 1 + (0.015 * (L - 50) ** 2) / Math.sqrt(20 + (L - 50) ** 2);
  const SC = 1 + 0.045 * C;
  const SH = 1 + 0.015 * C * T;
  const turn = 30 * Math.exp(-(((h - 275) / 25) ** 2));
  const RT = -2 * Math.sqrt(C ** 7 / (C ** 7 + 25 ** 7)) * Math.sin(2 * turn * rad);
  return Math.sqrt((dL / SL) ** 2 + (dC / SC) ** 2 + (dH / SH) ** 2 + RT * (dC / SC) * (dH / SH));
}
