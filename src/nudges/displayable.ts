/**
 * What of a merchant's own text may appear in a nudge. The rule behind all of it: nothing that a phone could turn
 * into a link, since the nudge's only link is the one into the inbox.
 */

export const LONGEST_REFERENCE = 64;
export const LONGEST_SHOWN_REFERENCE = 32;
export const LONGEST_SHOWN_NAME = 40;
const MOST_REFERENCE_DOTS = 2;

/** Every reference that is taken and echoed. "Letters" are A to Z here: order numbers travel through shop systems. */
export const REFERENCE_PATTERN = `^[A-Za-z0-9#_./-]{1,${LONGEST_REFERENCE}}$`;
const reference = new RegExp(REFERENCE_PATTERN);

export const validReference = (text: string): boolean => reference.test(text);

/** A letter or digit after an optional #, then letters, digits and _ / # -, and dots only directly before a digit. */
const SHOWN_REFERENCE = /^#?[A-Za-z0-9](?:[A-Za-z0-9_/#-]|\.(?=[0-9]))*$/;

/** The reference as a nudge shows it, or null when it must not. */
export function displayableReference(text: string | null): string | null {
  if (text === null || text.length > LONGEST_SHOWN_REFERENCE) return null;
  if (!SHOWN_REFERENCE.test(text)) return null;
  return text.split('.').length - 1 > MOST_REFERENCE_DOTS ? null : text;
}

/**
 * Letters of any script with the marks that belong to them (Hindi and Thai are not written without), digits, spaces
 * and `& ' - . , ! ( )`. Marks on anything else, and letters that are invisible, are not part of anyone's name.
 */
const SHOWN_NAME = /^(?:\p{L}\p{M}*|[\p{Nd} &'.,!()-])+$/u;
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/u;

/** The business's name as a nudge shows it (composed, single spaces), or null when it must not. */
export function displayableBusinessName(text: string): string | null {
  const name = text.normalize('NFC').replace(/ +/g, ' ').trim();
  if (name === '' || [...name].length > LONGEST_SHOWN_NAME) return null;
  if (!SHOWN_NAME.test(name) || INVISIBLE.test(name)) return null;
  return couldBecomeLink(name) ? null : name;
}

/** A dot directly before a letter reads as a domain to a phone, four numbers with dots as an address. */
export function couldBecomeLink(text: string): boolean {
  return /\.\p{L}|\p{Nd}\.\p{Nd}+\.\p{Nd}+\.\p{Nd}/u.test(text);
}
