import { domainToUnicode } from 'node:url';
import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { domainOf, parseEmailAddress } from '../../kit/emailAddress.ts';

type Piece = { kind: 'text'; text: string } | { kind: 'link'; text: string; href: string };

/** Where parcels can be followed, by their tracking numbers. */
type TrackingUrls = ReadonlyMap<string, string>;

/**
 * Splits plain text into text and links: web addresses that begin with http:// or https://, email addresses, phone numbers
 * that name their country, and tracking numbers that are known. A link shows the address it leads to, or the number as the
 * text has it. The pieces concatenated are the text.
 *
 * Linear in the length of the text: a candidate runs to the next character that cannot be part of it and is scanned once.
 */
export function linkify(text: string, trackingUrls: TrackingUrls = new Map()): Piece[] {
  const pieces: Piece[] = [];
  let plainFrom = 0;
  const addPlain = (end: number) => {
    if (end > plainFrom) pieces.push(...withTrackingLinks(text.slice(plainFrom, end), trackingUrls));
  };
  for (const match of text.matchAll(CANDIDATE)) {
    const [whole, web, email] = match;
    const candidate = web === undefined ? whole : withoutTrailingMarks(whole);
    const href =
      web !== undefined ? safeHref(candidate) : email !== undefined ? mailtoOf(email) : telOf(candidate);
    if (href === null) continue;
    addPlain(match.index);
    pieces.push({ kind: 'link', text: candidate, href });
    plainFrom = match.index + candidate.length;
  }
  addPlain(text.length);
  return pieces;
}

/**
 * White space, quotes and angle brackets end an address. So do control and invisible characters, which can reverse the
 * reading direction or hide a part, so that a link shows another address than its own.
 */
const WEB =
  /[hH][tT]{2}[pP][sS]?:\/\/[^\s<>"“”«»`\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]+/u;

/** In ASCII alone, so that no look-alike of a letter is in it, and not a part of something longer. */
const EMAIL =
  /(?<![\p{L}\p{M}\p{N}._%+@/\\-])[A-Za-z0-9][A-Za-z0-9._%+-]{0,63}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252}[A-Za-z0-9])?(?![\p{L}\p{M}\p{N}@_-])/u;

/** A plus and digits, with up to two separators between them: `+44 (0)20 7946 0958`. */
const PHONE = /(?<![\p{L}\p{M}\p{N}+])\+[1-9](?:[ ()./\u00A0-]{0,2}\d){6,15}(?![\p{L}\p{M}\p{N}])/u;

/** A refused web address hides what is in it: no part of it becomes another link. */
const CANDIDATE = new RegExp(`(${WEB.source})|(${EMAIL.source})|${PHONE.source}`, 'gu');

/** A longer address stays text. */
const LINK_LENGTH_MAX = 2_000;

const CLOSING: ReadonlyMap<string, string> = new Map([
  [')', '('],
  [']', '['],
  ['}', '{'],
]);
const TRAILING = new Set([...".,;:!?'’…*_~|"]);

/** "(see https://a.example/b)." links https://a.example/b; a closing bracket stays if the address opened it. */
function withoutTrailingMarks(address: string): string {
  const balance = new Map<string, number>();
  for (const character of address) {
    const opening = CLOSING.get(character) ?? character;
    balance.set(opening, (balance.get(opening) ?? 0) + (CLOSING.has(character) ? -1 : 1));
  }
  let end = address.length;
  while (end > 0) {
    const last = address[end - 1] ?? '';
    const opening = CLOSING.get(last);
    const unopened = opening === undefined ? 0 : (balance.get(opening) ?? 0);
    if (!TRAILING.has(last) && unopened >= 0) break;
    if (opening !== undefined) balance.set(opening, unopened + 1);
    end -= 1;
  }
  return address.slice(0, end);
}

function mailtoOf(text: string): string | null {
  const address = parseEmailAddress(text);
  return address === null ? null : mailto(address);
}

/** Of a parsed address. A `?` in its first part would begin a subject and a text. */
export function mailto(address: string): string {
  const domain = domainOf(address);
  return `mailto:${encodeURIComponent(address.slice(0, -domain.length - 1))}@${domain}`;
}

/** Null for what nobody has as a number, and for one that costs more than a call. */
function telOf(text: string): string | null {
  const phone = parsePhoneNumberFromString(text, { extract: false });
  const type = phone?.getType();
  return phone === undefined || type === undefined || type === 'PREMIUM_RATE' ? null : `tel:${phone.number}`;
}

/** A shorter number may be anything. */
const TRACKING_NUMBER_LENGTH_MIN = 6;
const PART_OF_WORD = /[\p{L}\p{M}\p{N}_]/u;

function withTrackingLinks(text: string, trackingUrls: TrackingUrls): Piece[] {
  let pieces: Piece[] = [{ kind: 'text', text }];
  for (const [number, url] of trackingUrls)
    if (number.length >= TRACKING_NUMBER_LENGTH_MIN)
      pieces = pieces.flatMap((piece) => (piece.kind === 'text' ? cutAt(piece.text, number, url) : [piece]));
  return pieces;
}

function cutAt(text: string, number: string, href: string): Piece[] {
  const pieces: Piece[] = [];
  let plainFrom = 0;
  for (let at = text.indexOf(number); at >= 0; at = text.indexOf(number, at + number.length)) {
    const end = at + number.length;
    if (PART_OF_WORD.test(text.charAt(at - 1)) || PART_OF_WORD.test(text.charAt(end))) continue;
    if (at > plainFrom) pieces.push({ kind: 'text', text: text.slice(plainFrom, at) });
    pieces.push({ kind: 'link', text: number, href });
    plainFrom = end;
  }
  if (plainFrom < text.length) pieces.push({ kind: 'text', text: text.slice(plainFrom) });
  return pieces;
}

/** Null for an address that a browser rejects, or resolves to another host than a person reads in it. */
function safeHref(address: string): string | null {
  if (address.length > LINK_LENGTH_MAX || !URL.canParse(address)) return null;
  const url = new URL(address);
  const web = url.protocol === 'http:' || url.protocol === 'https:';
  const named = url.username !== '' || url.password !== '';
  return web && !named && leadsTo(url.hostname, shownHost(address)) ? url.href : null;
}

/**
 * The host as a person reads it: everything between `//` and the next `/`, `?` or `#`, without a port. A browser reads
 * `\` as `/`, `%2e` as a dot and `1.1` as 1.0.0.1, and ignores a third slash; none of these becomes a link.
 */
const shownHost = (address: string): string =>
  (/^https?:\/\/([^/?#]*)/i.exec(address)?.[1] ?? '').replace(/:\d{1,5}$/, '').toLowerCase();

/** Browsers also allow `&`, `;`, `$` and the like in a host; no real name has them. */
const HOST = /^(?:[\p{L}\p{M}\p{N}_.-]+|\[[0-9a-f:.]+\])$/u;

const leadsTo = (hostname: string, shown: string): boolean =>
  HOST.test(shown) && (shown === hostname || shown === domainToUnicode(hostname));
