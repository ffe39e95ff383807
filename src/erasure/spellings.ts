import { domainToUnicode } from 'node:url';
import { domainOf } from '../kit/emailAddress.ts';

/** How a parsed address can stand in a JSON text or a form that others wrote, in lower case. */
export function spellingsOf(email: string): string[] {
  const domain = domainOf(email);
  const international = email.slice(0, -domain.length) + domainToUnicode(domain);
  return [
    ...new Set(
      [email, international].flatMap((address) => WRITTEN.map((write) => write(address).toLowerCase())),
    ),
  ];
}

const WRITTEN: readonly ((address: string) => string)[] = [
  (address) => address,
  encodeURIComponent,
  (address) => address.replaceAll('/', '\\/'),
  // Writers of JSON differ in what they escape.
  (address) => escaped(address, /[^\x20-\x7e]/g),
  (address) => escaped(address, /[^\x20-\x7e]|["&'+<>`]/g),
];

const escaped = (text: string, characters: RegExp): string =>
  text.replace(characters, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
