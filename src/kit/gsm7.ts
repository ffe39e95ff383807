/** The capacity of one text message in the GSM 03.38 alphabet. */
export const SEGMENT_SEPTETS = 160;

const BASIC = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?' +
    '¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
);
/** Encoded as an escape and a character: two septets each. */
const EXTENSION = new Set('\f^{}\\[~]|€');

/** The number of septets, or null if a character is not in the alphabet. */
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
 * Transliterates to GSM-7: accents that the alphabet lacks are dropped (š → s, ő → o, ç → c), Cyrillic becomes
 * Latin, Greek becomes the capitals that GSM-7 has, typographic quotes and dashes become plain, and characters
 * without an equivalent are omitted. Idempotent.
 */
export function toGsm7(text: string): string {
  const characters = [...text.normalize('NFC')];
  return characters.map((character, at) => transliterate(character, characters, at)).join('');
}

function transliterate(character: string, all: readonly string[], at: number): string {
  const direct = equivalentOf(character, all, at);
  if (direct !== null) return direct;
  const parts = [...character.normalize('NFKD')];
  return parts.map((part) => equivalentOf(part, all, at) ?? '').join('');
}

function equivalentOf(character: string, all: readonly string[], at: number): string | null {
  if (BASIC.has(character) || EXTENSION.has(character)) return character;
  const lower = character.toLowerCase();
  const equivalent = EQUIVALENTS.get(lower);
  if (equivalent !== undefined) return character === lower ? equivalent : capitalised(equivalent, all, at);
  return /^\p{Nd}$/u.test(character) ? asciiDigit(character) : null;
}

/** Щ is `Shch` in Щука and `SHCH` in БОРЩ: the next letter decides, or at a word's end the previous one. */
function capitalised(equivalent: string, all: readonly string[], at: number): string {
  const next = all[at + 1] ?? '';
  const neighbour = /^\p{L}/u.test(next) ? next : (all[at - 1] ?? '');
  if (/^\p{Lu}/u.test(neighbour)) return equivalent.toUpperCase();
  return equivalent.charAt(0).toUpperCase() + equivalent.slice(1);
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

/** By lower-case letter. Characters that NFKD decomposes need no entry, unless the base letter would mislead. */
const EQUIVALENTS: ReadonlyMap<string, string> = new Map([
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
