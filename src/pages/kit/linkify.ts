import { domainToUnicode } from 'node:url';

type Piece = { kind: 'text'; text: string } | { kind: 'link'; text: string; href: string };

/**
 * Splits plain text into text and links. Only addresses that begin with http:// or https:// become links, and a link
 * shows exactly the address it leads to. The pieces concatenated are the text.
 *
 * Linear in the length of the text: a candidate runs to the next character that cannot be part of an address and is
 * scanned once.
 */
export function linkify(text: string): Piece[] {
  const pieces: Piece[] = [];
  let plainFrom = 0;
  for (const match of text.matchAll(CANDIDATE)) {
    const candidate = withoutTrailingMarks(match[0]);
    const href = safeHref(candidate);
    if (href === null) continue;
    if (match.index > plainFrom) pieces.push({ kind: 'text', text: text.slice(plainFrom, match.index) });
    pieces.push({ kind: 'link', text: candidate, href });
    plainFrom = match.index + candidate.length;
  }
  if (plainFrom < text.length) pieces.push({ kind: 'text', text: text.slice(plainFrom) });
  return pieces;
}

/**
 * White space, quotes and angle brackets end an address. So do control and invisible characters, which can reverse the
 * reading direction or hide a part, so that a link shows another address than its own.
 */
const CANDIDATE = /https?:\/\/[^\s<>"“”«»`\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]+/giu;

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
