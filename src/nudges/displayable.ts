/**
 * Decides which of a merchant's texts may appear in a nudge: none that a phone could turn into a link, since the only link
 * in a nudge is the one into the inbox.
 */

const SHOWN_REFERENCE_LENGTH_MAX = 32;
const SHOWN_NAME_LENGTH_MAX = 40;
const MAX_REFERENCE_DOTS = 2;

/** A letter or digit after an optional #, then letters, digits and _ / # -, and dots only directly before a digit. */
const SHOWN_REFERENCE = /^#?[A-Za-z0-9](?:[A-Za-z0-9_/#-]|\.(?=[0-9]))*$/;

/** The reference if a nudge may show it, else null. */
export function displayableReference(text: string | null): string | null {
  if (text === null || text.length > SHOWN_REFERENCE_LENGTH_MAX) return null;
  if (!SHOWN_REFERENCE.test(text)) return null;
  return text.split('.').length - 1 > MAX_REFERENCE_DOTS ? null : text;
}

/**
 * Letters of any script with their combining marks (Hindi and Thai need them), digits, spaces and `& ' - . , ! ( )`. A mark
 * on anything else, or an invisible letter, makes the name not displayable.
 */
const SHOWN_NAME = /^(?:\p{L}\p{M}*|[\p{Nd} &'.,!()-])+$/u;
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/u;

/** The business's name in NFC with single spaces, or null if a nudge must not show it. */
export function displayableBusinessName(text: string): string | null {
  const name = text.normalize('NFC').replace(/ +/g, ' ').trim();
  if (name === '' || [...name].length > SHOWN_NAME_LENGTH_MAX) return null;
  if (!SHOWN_NAME.test(name) || INVISIBLE.test(name)) return null;
  return couldBecomeLink(name) ? null : name;
}

/** A phone takes a dot directly before a letter for a domain, and four numbers with dots for an IP address. */
export function couldBecomeLink(text: string): boolean {
  return /\.\p{L}|\p{Nd}\.\p{Nd}+\.\p{Nd}+\.\p{Nd}/u.test(text);
}
