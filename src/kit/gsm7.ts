/** What one text message carries in the GSM 03.38 alphabet. */
export const SEGMENT_SEPTETS = 160;

const BASIC = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?' +
    '¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
);
/** Sent as an escape and a character: two septets each. */
const EXTENSION = new Set('\f^{}\\[~]|€');

/** How many septets the text takes, or null when a character of it is not in the alphabet. */
export function septets(text: string): number | null {
  let count = 0;
  for (const character of text) {
    if (BASIC.has(character)) count += 1;
    else if (EXTENSION.has(character)) count += 2;
    else return null;
  }
  return count;
}

/**
 * The text in GSM-7: accents the alphabet lacks are dropped (š → s, ő → o, ç → c), Cyrillic becomes Latin, Greek
 * becomes the capitals that GSM-7 has for it, typographic quotes and dashes become plain, and what has no likeness is
 * left out. Its own output it leaves alone.
 */
export function toGsm7(text: string): string {
  const characters = [...text.normalize('NFC')];
  return characters.map((character, at) => gsmLikeness(character, characters, at)).join('');
}

function gsmLikeness(character: string, all: readonly string[], at: number): string {
  const direct = knownLikeness(character, all, at);
  if (direct !== null) return direct;
  const parts = [...character.normalize('NFKD')];
  return parts.map((part) => knownLikeness(part, all, at) ?? '').join('');
}

function knownLikeness(character: string, all: readonly string[], at: number): string | null {
  if (BASIC.has(character) || EXTENSION.has(character)) return character;
  const lower = character.toLowerCase();
  const likeness = LIKENESSES.get(lower);
  if (likeness !== undefined) return character === lower ? likeness : capitalised(likeness, all, at);
  return /^\p{Nd}$/u.test(character) ? asciiDigit(character) : null;
}

/** Щ is `Shch` in Щука and `SHCH` in БОРЩ: the next letter tells, or at a word's end the one before. */
function capitalised(likeness: string, all: readonly string[], at: number): string {
  const next = all[at + 1] ?? '';
  const neighbour = /^\p{L}/u.test(next) ? next : (all[at - 1] ?? '');
  if (/^\p{Lu}/u.test(neighbour)) return likeness.toUpperCase();
  return likeness.charAt(0).toUpperCase() + likeness.slice(1);
}

/** Unicode keeps every script's digits in ascending runs of ten, so the distance to the run's start is the value. */
function asciiDigit(digit: string): string {
  const at = digit.codePointAt(0) ?? 0;
  let start = at;
  while (/^\p{Nd}$/u.test(String.fromCodePoint(start - 1))) start -= 1;
  return String((at - start) % 10);
}

const pairs = (list: string): [string, string][] =>
  list
    .trim()
    .split(/\s+/)
    .map((pair) => [pair.charAt(0), pair.slice(1)]);

/** By lower-case letter; what NFKD can take apart needs no entry, unless its base letter would mislead. */
const LIKENESSES: ReadonlyMap<string, string> = new Map([
  // Latin letters without a decomposition.
  ...pairs('łl đd ðd ħh ıi ĸk ŋn œoe ŧt þth ßss ƒf əe ɛe ɔo ɓb ɗd ƙk ƴy µu'),
  // Greek: GSM-7 has the capitals that Latin lacks, so a whole word in capitals reads as Greek: καφές → KAΦEΣ.
  ...pairs('αA βB γΓ δΔ εE ζZ ηH θΘ ιI κK λΛ μM νN ξΞ οO πΠ ρP σΣ ςΣ τT υY φΦ χX ψΨ ωΩ'),
  // Cyrillic: Russian, Ukrainian, Belarusian, Bulgarian, Serbian, Macedonian, Kazakh.
  ...pairs(
    'аa бb вv гg дd еe жzh зz иi йy кk лl мm нn оo пp рr сs тt уu фf хkh цts чch шsh щshch ъ ыy ь эe юyu яya',
  ),
  ...pairs('єye іi ґg ђdj ѓgj ѕdz јj љlj њnj ћc ќkj џdz әa ғg қq ңn өo ұu үu һh'),
  // Typography.
  ...pairs("‘' ’' ‚' ‛' ′' `' ´' ʼ' ʻ' ʹ' ‹' ›' “\" ”\" „\" ‟\" ″\" «\" »\""),
  ...pairs('‐- ‑- ‒- –- —- ―- −- ⁄/ ×x ©(c) ®(R)'),
  ['\t', ' '],
]);
