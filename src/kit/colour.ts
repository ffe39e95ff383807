/** A business's colour on a surface such as a button, as it is, with the text on it in black or white. */
export interface SurfaceTones {
  fill: string;
  onFill: string;
  /** Shows where a surface ends that is nearly as light or as dark as the page. */
  edge: string;
}

/** The same in one colour scheme, with text, links and marks that are legible on the page and its cards. */
interface BrandTones extends SurfaceTones {
  ink: string;
}

export const DEFAULT_COLOUR = '#1d4fd7';

/** The backgrounds of the style sheet: the page, the cards, and the tinted parts of a card. */
export const PAPER = {
  light: ['#f6f5f2', '#ffffff', '#eeedea'],
  dark: ['#121316', '#1b1d22', '#26292f'],
} as const;

/** WCAG 2.2 AA for text of any size. */
export const ENOUGH_CONTRAST = 4.5;
/** Less than this, and the eye does not find the end of a surface. */
const ENOUGH_FOR_SURFACES = 1.5;

/** The ink is moved towards black or white only as far as legibility requires. */
export function brandTones(colour: string, scheme: 'light' | 'dark'): BrandTones {
  const towards = scheme === 'light' ? BLACK : WHITE;
  const paper = PAPER[scheme].map(channels);
  const ink = untilLegible(channels(colour), towards, (tone) => standsOut(tone, paper, ENOUGH_CONTRAST));
  return { ink: hex(ink), ...surfaceTones(colour) };
}

export function surfaceTones(colour: string): SurfaceTones {
  const fill = channels(colour);
  const onFill = hex(contrast(fill, WHITE) >= ENOUGH_CONTRAST ? WHITE : BLACK);
  const isSeen = standsOut(fill, [...PAPER.light, ...PAPER.dark].map(channels), ENOUGH_FOR_SURFACES);
  return { fill: colour, onFill, edge: isSeen ? colour : onFill };
}

export const isColour = (text: string): boolean => /^#[0-9a-f]{6}$/.test(text);

/** The ratio of WCAG, 1 to 21. */
export const contrastOf = (a: string, b: string): number => contrast(channels(a), channels(b));

type Channels = readonly [red: number, green: number, blue: number];
const BLACK: Channels = [0, 0, 0];
const WHITE: Channels = [255, 255, 255];
const STEPS = 50;

function untilLegible(from: Channels, towards: Channels, enough: (tone: Channels) => boolean): Channels {
  for (let step = 0; step < STEPS; step += 1) {
    const tone = mix(from, towards, step / STEPS);
    if (enough(tone)) return tone;
  }
  return towards;
}

const standsOut = (tone: Channels, paper: readonly Channels[], ratio: number): boolean =>
  paper.every((sheet) => contrast(tone, sheet) >= ratio);

const mix = (a: Channels, b: Channels, share: number): Channels => [
  Math.round(a[0] + (b[0] - a[0]) * share),
  Math.round(a[1] + (b[1] - a[1]) * share),
  Math.round(a[2] + (b[2] - a[2]) * share),
];

const channels = (colour: string): Channels => [
  Number.parseInt(colour.slice(1, 3), 16),
  Number.parseInt(colour.slice(3, 5), 16),
  Number.parseInt(colour.slice(5, 7), 16),
];

const hex = (tone: Channels): string =>
  `#${tone.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;

function contrast(a: Channels, b: Channels): number {
  const [lighter, darker] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return ((lighter ?? 0) + 0.05) / ((darker ?? 0) + 0.05);
}

function luminance([red, green, blue]: Channels): number {
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

function linear(channel: number): number {
  const share = channel / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}
