import { knownStatus } from '../contract/orderStatuses.ts';
import { DEFAULT_COLOUR, surfaceTones } from '../kit/colour.ts';
import { DEFAULT_LANGUAGE } from '../language/languages.ts';
import { type Words, wordsIn } from '../language/words.ts';
import { displayableReference } from './displayable.ts';
import { emailHtml, excerptHtml, headingHtml, type MailValues } from './emailHtml.tsx';
import { mailedParcels, orderData, parcelsAsHtml, parcelsAsText } from './emailParcels.tsx';
import { mailedProgress, progressAsText } from './emailProgress.tsx';
import { messageExcerpt, sentenceKey } from './excerpt.ts';
import type { OrderNudge } from './orderStatus.ts';
import type { ShownParcels } from './parcel.ts';

export interface EmailNudge extends OrderNudge {
  subject: string;
  /** The beginning of the message's text, of which the mail shows the first lines. */
  body: string;
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

/** More than any mail client shows; a longer subject is whole in the mail. */
const SUBJECT_HEADER_LENGTH_MAX = 200;

/**
 * The mail that announces a message and links to the inbox: what happened, how far the order is, its parcels, and the first lines of
 * the message. Nothing stands in it twice, not what its subject says either. The whole text is in the inbox alone, which can retract
 * it, update it and report that it was opened.
 */
export function emailNudge(nudge: EmailNudge): WrittenEmail {
  const { language = DEFAULT_LANGUAGE } = nudge;
  const words = wordsIn(language);
  const shown: ShownParcels | null = nudge.parcels ?? null;
  const parcels = shown === null ? [] : mailedParcels(words, shown);
  const progress = mailedProgress(knownStatus(nudge.orderStatus), shown?.shipments ?? []);
  const merchant = oneLine(nudge.businessName);
  const wholeSubject = oneLine(nudge.subject) || words.text('email.someSubject');
  const subject = headerText(nudge.subject) || wholeSubject;
  const heading = headingOf(words, nudge, subject);
  const excerpt = [
    ...(subject === wholeSubject ? [] : [wholeSubject]),
    ...messageExcerpt(nudge.body, [merchant, wholeSubject, whatHappened(words, nudge)]),
  ];
  const values: MailValues = {
    business: merchant || words.text('email.someShop'),
    subject,
    link: nudge.link,
    unsubscribeLink: nudge.unsubscribeLink,
    ...surfaceTones(nudge.colour ?? DEFAULT_COLOUR),
    logoUrl: nudge.logoUrl ?? '',
    heading: heading === null ? '' : headingHtml(heading),
    parcels: parcels.length === 0 ? '' : parcelsAsHtml(words, parcels),
    excerpt: excerpt.length === 0 ? '' : excerptHtml(excerpt),
    orderData: (shown && orderData(displayableReference(nudge.reference), merchant, shown)) ?? '',
  };
  const news = [
    ...(heading === null ? [] : [heading]),
    ...(progress === null ? [] : [progressAsText(words, progress)]),
    ...parcelsAsText(words, parcels),
    ...(excerpt.length === 0 ? [] : [excerpt.join('\n')]),
  ];
  return { subject, text: asText(words, values, news), html: emailHtml(language, values, progress) };
}

/** What happened; if the subject says that already, which order it is about. */
function headingOf(words: Words, nudge: EmailNudge, subject: string): string | null {
  const happened = whatHappened(words, nudge);
  if (sentenceKey(happened) !== sentenceKey(subject)) return happened;
  const reference = displayableReference(nudge.reference);
  return reference === null ? null : words.fill('inbox.order', { reference });
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

function asText(words: Words, { business, link, unsubscribeLink }: MailValues, news: readonly string[]) {
  const why = words.fill('email.why', { business });
  const unsubscribe = words.fill('email.unsubscribe', { business });
  return [
    business,
    ...news,
    `${words.text('email.read')}:\n${link}`,
    words.text('email.personal'),
    `-- \n${why}\n${unsubscribe}:\n${unsubscribeLink}\n`,
  ].join('\n\n');
}
