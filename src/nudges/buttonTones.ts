import { brandTones, isColour } from '../kit/colour.ts';

/** The button's surface and the text on it, in light and dark mail programs. */
export interface ButtonTones {
  fill: string;
  onFill: string;
  darkFill: string;
  onDarkFill: string;
}

const OUR_TONES: ButtonTones = {
  fill: '#1d4fd7',
  onFill: '#ffffff',
  darkFill: '#8fb4ff',
  onDarkFill: '#0d1b38',
};

/** Of the colours that were used lately: a tone takes some hundred multiplications, and there are many mails a second. */
const tonesByColour = new Map<string, ButtonTones>();
const TONES_KEPT = 1_000;

export function buttonTones(colour: string | null): ButtonTones {
  if (colour === null || !isColour(colour)) return OUR_TONES;
  const known = tonesByColour.get(colour);
  if (known) return known;
  const [light, dark] = [brandTones(colour, 'light'), brandTones(colour, 'dark')];
  const tones = {
    fill: light.fill,
    onFill: light.onFill,
    darkFill: dark.fill,
    onDarkFill: dark.onFill,
  };
  if (tonesByColour.size >= TONES_KEPT) tonesByColour.clear();
  tonesByColour.set(colour, tones);
  return tones;
}
