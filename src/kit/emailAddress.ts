import { domainToASCII } from 'node:url';

/** RFC 5321: the part before the @, and what fits between the angle brackets of a MAIL FROM. */
const LOCAL_MAX = 64;
const ADDRESS_MAX = 254;
const LABEL_MAX = 63;

/** A dot-atom of RFC 5322, which is what HTML's email field takes too. No quotes, commas, spaces or control characters. */
const LOCAL = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const LABEL = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;
const ASCII = /^[\x21-\x7e]*$/;
const INTERNATIONAL_DOMAIN = /^[\p{L}\p{M}\p{N}.-]+$/u;

/**
 * The address as it is stored and compared, trimmed and in lower case, or null for what no mail could reach.
 *
 * An international domain (`bücher.de`) is stored in its ASCII form, which is the one that every mail provider takes
 * and the one of its spellings that all the others lead to. An international part before the @ is refused: hardly
 * any provider can send to it, and a push that can never be announced is better refused than accepted.
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

/** What follows the @ of an address that was parsed. */
export const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1);

function parseDomain(text: string): string | null {
  const domain = asciiDomain(text);
  const labels = domain.split('.');
  if (labels.length < 2 || !labels.every((label) => label.length <= LABEL_MAX && LABEL.test(label)))
    return null;
  // A last label of digits alone would make it an IPv4 address, which is no domain.
  return /^\d+$/.test(labels.at(-1) ?? '') ? null : domain;
}

function asciiDomain(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  return INTERNATIONAL_DOMAIN.test(text) ? domainToASCII(text) : '';
}
