import { domainToASCII } from 'node:url';

/** RFC 5321: the part before the @, and the address in a MAIL FROM. */
const LOCAL_MAX = 64;
const ADDRESS_MAX = 254;
const LABEL_MAX = 63;

/** A dot-atom of RFC 5322, like HTML's email field: no quotes, commas, spaces or control characters. */
const LOCAL = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const LABEL = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;
const ASCII = /^[\x21-\x7e]*$/;
const INTERNATIONAL_DOMAIN = /^[\p{L}\p{M}\p{N}.-]+$/u;

/**
 * The address as stored and compared, trimmed and in lower case; null if no mail could reach it.
 * An international domain (`bücher.de`) is stored in its ASCII form: every mail provider accepts that one, and
 * all other spellings map to it. An international part before the @ is refused: hardly any provider can send to
 * it, so the push could never be announced.
 */
export function parseEmailAddress(text: string): string | null {
  const address = text.trim();
  if (address.length > ADDRESS_MAX) return null;
  const at = address.lastIndexOf('@');
  const local = address.slice(0, Math.max(at, 0));
  if (local.length > LOCAL_MAX || !LOCAL.test(local)) return null;
  const domain = parseDomain(address.slice(at + 1));
  if (domain === null) return null;
  const whole = `${local.toLowerCase()}@${domain}`;
  return whole.length > ADDRESS_MAX ? null : whole;
}

/** The domain of a parsed address. */
export const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1);

function parseDomain(text: string): string | null {
  const domain = asciiDomain(text);
  const labels = domain.split('.');
  if (labels.length < 2 || !labels.every((label) => label.length <= LABEL_MAX && LABEL.test(label)))
    return null;
  // A last label of digits alone makes it an IPv4 address, which is no domain.
  return /^\d+$/.test(labels.at(-1) ?? '') ? null : domain;
}

function asciiDomain(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  return INTERNATIONAL_DOMAIN.test(text) ? domainToASCII(text) : '';
}
