type Rgb = readonly [red: number, green: number, blue: number];

const WHITE: Rgb = [255, 255, 255];
const BLACK: Rgb = [0, 0, 0];
/** Backgrounds of accent-coloured text (`dash/src/app/variables.css`): the card and the page in light mode, the card in dark mode. */
const LIGHT_SURFACES: readonly Rgb[] = [WHITE, [0xf3, 0xf4, 0xf2]];
const DARK_SURFACES: readonly Rgb[] = [
  [0x1d, 0x21, 0x23],
  [0x26, 0x2b, 0x2d],
];
/** Minimum contrast of text (WCAG 2.2, 1.4.3). */
const LEAST_CONTRAST = 4.5;
const STEPS = 256;

/** Colours of the pages that are derived from an accent, in the form `#rrggbb`. */
export interface AccentColors {
  /** Buttons (with white text), and links in light mode. It is the accent itself, unless that is too pale to read. */
  readonly main: string;
  /** Hovered buttons. */
  readonly strong: string;
  /** Links in dark mode. */
  readonly bright: string;
}

/** Returns the colours for an accent: each is the nearest one with a readable contrast on its background (WCAG 2.2, 1.4.3). */
export function accentColors(accent: string): AccentColors {
  const color = readColor(accent);
  const main = nearest(color, BLACK, LIGHT_SURFACES);
  const bright = nearest(color, WHITE, DARK_SURFACES);
  return { main: writeColor(main), strong: writeColor(mix(main, BLACK, 0.22)), bright: writeColor(bright) };
}

/** Returns the contrast ratio of two colours, from 1 to 21 (WCAG 2.2, "contrast ratio"). */
export function contrast(one: string, other: string): number {
  return contrastOf(readColor(one), readColor(other));
}

/** Returns the first colour on the way to `end` with enough contrast on all surfaces. */
function nearest(color: Rgb, end: Rgb, surfaces: readonly Rgb[]): Rgb {
  for (let step = 0; step <= STEPS; step += 1) {
    const candidate = mix(color, end, step / STEPS);
    if (surfaces.every((surface) => contrastOf(candidate, surface) >= LEAST_CONTRAST)) return candidate;
  }
  return end;
}

function mix(one: Rgb, other: Rgb, share: number): Rgb {
  const part = (index: 0 | 1 | 2): number => Math.round(one[index] + (other[index] - one[index]) * share);
  return [part(0), part(1), part(2)];
}

function contrastOf(one: Rgb, other: Rgb): number {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

function luminance([red, green, blue]: Rgb): number {
  const linear = (part: number): number => {
    const value = part / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

function readColor(text: string): Rgb {
  const part = (at: number): number => Number.parseInt(text.slice(at, at + 2), 16);
  return [part(1), part(3), part(5)];
}

function writeColor(color: Rgb): string {
  return `#${color.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}
