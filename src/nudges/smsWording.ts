import { knownStatus } from '../contract/orderStatuses.ts';
import { OperatorError } from '../kit/errors.ts';
import { SEGMENT_SEPTETS, septets, toGsm7 } from '../kit/gsm7.ts';
import { trimEndChars } from '../kit/trimEndChars.ts';
import { DEFAULT_LANGUAGE } from '../language/languages.ts';
import { type Words, wordsIn } from '../language/words.ts';
import { couldBecomeLink, displayableBusinessName, displayableReference } from './displayable.ts';
import type { OrderNudge } from './orderStatus.ts';

/** A longer link would not leave enough characters for the sentence and the start of the business's name. */
export const SMS_LINK_LENGTH_MAX = 110;

/** A name cut shorter than this is left out. */
const SHORTEST_NAME = 12;

/**
 * The text message, in exactly one GSM-7 segment: business, order, what happened, opt-out, and the complete inbox link at
 * the end. Letters of the language that the alphabet lacks are written without their marks. If that is too long, the opt-out is
 * shortened, then the name is cut, then the reference, the opt-out and finally the name are left out.
 */
export function smsText({ businessName, reference, orderStatus, link, language }: OrderNudge): string {
  const words = wordsIn(language ?? DEFAULT_LANGUAGE);
  const optOut = toGsm7(words.text('sms.optOut'));
  const shortOptOut = toGsm7(words.text('sms.optOutShort'));
  const name = nameInText(businessName);
  const order = displayableReference(reference);
  const inWords = (who: string | null, which: string | null, ending: string | null): string =>
    [whatHappened(words, who, which, orderStatus), ending, link].filter((part) => part !== null).join(' ');

  const full = inWords(name, order, optOut);
  if (fits(full)) return full;

  const tighter: readonly (readonly [string | null, string | null])[] = [
    [order, shortOptOut],
    [null, shortOptOut],
    [null, null],
  ];
  for (const [which, ending] of tighter) {
    const who = name === null ? null : cutTo(name, SEGMENT_SEPTETS - lengthOf(inWords('', which, ending)));
    const text = inWords(who, which, ending);
    if (who !== '' && fits(text)) return text;
  }
  const shortest = `${toGsm7(words.text('sms.shortest'))} ${link}`;
  const last = [inWords(null, null, null), shortest, link].find(fits);
  if (last === undefined) {
    throw new OperatorError(
      'PUBLIC_URL is too long, or not plain ASCII: its links do not fit a text message.',
    );
  }
  return last;
}

/** `Acme: your order #1001 has shipped.`, or neutral words if the name, reference or status is missing. */
function whatHappened(
  words: Words,
  name: string | null,
  reference: string | null,
  orderStatus: string | null,
): string {
  const status = knownStatus(orderStatus);
  const clause = words.ofOrder(status === null ? 'sms.update' : `order.${status}`, reference);
  return `${name === null ? toGsm7(words.sentence(clause)) : `${name}: ${toGsm7(clause)}`}.`;
}

/** The name in GSM-7, or null if it cannot be shown. It is checked again, since dropping a character can create a link. */
function nameInText(businessName: string): string | null {
  const shown = displayableBusinessName(businessName);
  if (shown === null) return null;
  const name = toGsm7(shown).replace(/ +/g, ' ').trim();
  return /[\p{L}\p{Nd}]/u.test(name) && !couldBecomeLink(name) ? name : null;
}

/** The name in at most `maxLength` characters, cut at the end of a word if possible; empty if too little remains. */
function cutTo(name: string, maxLength: number): string {
  if (name.length <= maxLength) return name;
  if (maxLength < SHORTEST_NAME) return '';
  const cut = name.slice(0, maxLength);
  const wordEnd = name.charAt(maxLength) === ' ' ? maxLength : cut.lastIndexOf(' ');
  return trimEndChars(cut.slice(0, wordEnd >= SHORTEST_NAME ? wordEnd : maxLength), " &'-.,(");
}

const fits = (text: string): boolean => lengthOf(text) <= SEGMENT_SEPTETS;

const lengthOf = (text: string): number => septets(text) ?? Number.POSITIVE_INFINITY;
