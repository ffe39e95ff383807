import { knownStatus } from '../contract/orderStatuses.ts';
import { DEFAULT_COLOUR, surfaceTones } from '../kit/colour.ts';
import { DEFAULT_LANGUAGE } from '../language/languages.ts';
import { type Words, wordsIn } from '../language/words.ts';
import { displayableReference } from './displayable.ts';
import { emailHtml, type MailValues } from './emailHtml.tsx';
import {
  type MailedParcel,
  mailedParcels,
  orderData,
  parcelsAsHtml,
  parcelsAsText,
} from './emailParcels.tsx';
import type { OrderNudge } from './orderStatus.ts';
import type { ShownParcels } from './parcel.ts';

export interface EmailNudge extends OrderNudge {
  subject: string;
  /** `new` announces a new message, `update` a message that was updated in place. */
  kind: 'new' | 'update';
  unsubscribeLink: string;
  parcels?: ShownParcels | null;
  /** The shop's colour; null: ours. */
  colour?: string | null;
  logoUrl?: string | null;
}

export interface WrittenEmail {
  subject: string;
  text: string;
  html: string;
}

/** More than any mail client shows; the mail's body has the complete subject. */
const SUBJECT_HEADER_LENGTH_MAX = 200;

/**
 * The mail that announces a message and links to the inbox. It leaves out the merchant's text, which only the inbox can
 * retract, update in place or report as opened.
 */
export function emailNudge(nudge: EmailNudge): WrittenEmail {
  const { language = DEFAULT_LANGUAGE } = nudge;
  const words = wordsIn(language);
  const shown: ShownParcels | null = nudge.parcels ?? null;
  const parcels = shown === null ? [] : mailedParcels(words, shown);
  const merchant = oneLine(nudge.businessName);
  const values: MailValues = {
    business: merchant || words.text('email.someShop'),
    subject: oneLine(nudge.subject) || words.text('email.someSubject'),
    whatHappened: whatHappened(words, nudge),
    link: nudge.link,
    unsubscribeLink: nudge.unsubscribeLink,
    ...surfaceTones(nudge.colour ?? DEFAULT_COLOUR),
    logoUrl: nudge.logoUrl ?? '',
    parcels: parcels.length === 0 ? '' : parcelsAsHtml(words, parcels),
    orderData: (shown && orderData(displayableReference(nudge.reference), merchant, shown)) ?? '',
  };
  return {
    subject: headerText(nudge.subject) || values.subject,
    text: asText(words, values, parcels),
    html: emailHtml(language, values),
  };
}

/** Text for a mail header: one line of limited length, without control characters or direction marks. */
export function headerText(text: string, longest = SUBJECT_HEADER_LENGTH_MAX): string {
  const line = oneLine(text);
  const characters = [...line];
  if (characters.length <= longest) return line;
  const kept = characters.slice(0, longest - 1).join('');
  return `${kept.trimEnd()}…`;
}

function whatHappened(words: Words, { reference, orderStatus, kind }: EmailNudge): string {
  const status = knownStatus(orderStatus);
  const shown = displayableReference(reference);
  if (status === null) return words.ofOrder(kind === 'new' ? 'email.update' : 'email.changed', shown);
  const news = words.ofOrder(`order.${status}`, shown);
  return kind === 'new' ? `${words.sentence(news)}.` : words.fill('email.changedTo', { news });
}

/** Replaces line breaks and control characters by a space, and drops marks that override the text direction. */
function oneLine(text: string): string {
  return text
    .replace(/[\u202A-\u202E\u2066-\u2069]/g, '')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();
}

function asText(
  words: Words,
  { business, subject, whatHappened, link, unsubscribeLink }: MailValues,
  parcels: readonly MailedParcel[],
) {
  const why = words.fill('email.why', { business });
  const unsubscribe = words.fill('email.unsubscribe', { business });
  return [
    business,
    `${subject}\n\n${whatHappened}`,
    ...parcelsAsText(words, parcels),
    `${words.text('email.read')}:\n${link}`,
    words.text('email.personal'),
    `-- \n${why}\n${unsubscribe}:\n${unsubscribeLink}\n`,
  ].join('\n\n');
}
