import type { PreviewedNudge, PushPreview } from '../contract/push.ts';
import type { Pool } from '../db/pool.ts';
import type { Clock } from '../kit/clock.ts';
import { ApiError } from '../kit/errors.ts';
import { newId } from '../kit/ids.ts';
import type { Hasher } from '../kit/seal.ts';
import { type Language, languageFor } from '../language/languages.ts';
import { compose } from '../nudges/compose.ts';
import { deadLink } from '../nudges/deadLink.ts';
import type { ShownParcels } from '../nudges/parcel.ts';
import { whatsappTemplate } from '../nudges/whatsappTemplate.ts';
import type { KnownShipment } from '../orders/shipmentReadsSql.ts';
import type { AnyOutbound } from '../providers/provider.ts';
import { chooseTemplate, type TemplateReviews } from '../templates/choice.ts';
import { type Decision, decide } from './decide.ts';
import { gatherPreviewFacts } from './previewFacts.ts';
import type { PushRequest } from './request.ts';
import type { BusinessState } from './snapshot.ts';

export interface PreviewDeps {
  pool: Pool;
  clock: Clock;
  hash: Hasher;
  publicUrl: string;
}

/** What a mail shows of the shop besides its name. */
interface MailBrand {
  colour: string | null;
  logoUrl: string | null;
}

export interface Previews {
  /** What a push would do now. */
  preview(businessId: string, request: PushRequest): Promise<PushPreview>;
  /** The same with the mail as its customer would see it; null: none. */
  render(brand: MailBrand, businessId: string, request: PushRequest): Promise<RenderedPush>;
}

export interface RenderedPush {
  preview: PushPreview;
  mail: { from: string; subject: string; html: string } | null;
}

/** The push's own decision on the push's own snapshot, which previews that arrive together load together. */
export function createPreviews({ pool, clock, hash, publicUrl }: PreviewDeps): Previews {
  const facts = gatherPreviewFacts({ pool, clock, hash });
  async function decided(brand: MailBrand, businessId: string, request: PushRequest) {
    const { snapshot, shipments, now } = await facts.add({ businessId, request });
    const business = snapshot.businesses.get(businessId);
    if (!business) throw new ApiError('business.invalid_api_key');
    const verdict = decide(request, business, snapshot, now, () => newId(now));
    if (verdict.kind === 'refused') throw verdict.error;
    const { decision } = verdict;
    const parcels = { shipments: shipmentsShown(decision, shipments), now };
    const languages = languagesOf(decision, business, snapshot.reviews);
    return {
      decision,
      business,
      wording: { businessName: business.name, brand, languages, publicUrl, parcels },
    };
  }
  return {
    async preview(businessId, request) {
      const { decision, business, wording } = await decided(PLAIN, businessId, request);
      return previewOf(decision, business, wording);
    },
    async render(brand, businessId, request) {
      const { decision, business, wording } = await decided(brand, businessId, request);
      return { preview: previewOf(decision, business, wording), mail: mailOf(decision, wording) };
    },
  };
}

const PLAIN: MailBrand = { colour: null, logoUrl: null };

/** As a send finds them after the push: the shipment that the message names, else all of its order's. */
function shipmentsShown(
  { message: { trackingNumber }, shipment }: Decision,
  known: readonly KnownShipment[],
): readonly KnownShipment[] {
  if (trackingNumber === null) return known;
  const named = known.filter((one) => one.trackingNumber === trackingNumber);
  return shipment === null ? named : [{ ...shipment, status: named[0]?.status ?? null }];
}

/** What the words of nudges are made of, besides the decision. */
interface WordingFacts {
  businessName: string;
  brand: MailBrand;
  languages: NudgeLanguages;
  publicUrl: string;
  parcels: ShownParcels;
}

function previewOf(decision: Decision, business: BusinessState, facts: WordingFacts): PushPreview {
  const { result, message } = decision;
  return {
    created: result.created,
    nudged: result.nudged,
    scheduled_for: result.scheduled_for,
    email: result.email,
    sms: result.sms,
    sms_units: result.sms_units,
    whatsapp: result.whatsapp,
    whatsapp_opt_in: result.whatsapp_opt_in,
    reference: result.reference,
    order_status: result.order_status,
    updates: decision.created ? null : message.id,
    obsoletes: decision.obsoleted.map(({ id }) => id),
    nudges: nudgesOf(decision, facts),
    balance_after: business.spendable - decision.setAside,
    language: facts.languages.language,
  };
}

interface NudgeLanguages {
  language: Language;
  templateLanguage: Language;
}

/** As a send's permit chooses them. */
function languagesOf(
  { message: { reference, orderStatus }, recipient: { language } }: Decision,
  { name: businessName, language: ofBusiness }: BusinessState,
  reviews: TemplateReviews,
): NudgeLanguages {
  const template = chooseTemplate({ businessName, reference, orderStatus, language, ofBusiness }, reviews);
  return { language: languageFor(language, ofBusiness), templateLanguage: template.language };
}

type PlannedSend = Decision['sends'][number];

/** Certain nudges first, then those that wait for a deadline, then the fallback; within each email, SMS, WhatsApp. */
const ORDER: Record<PreviewedNudge['when'], number> = {
  now: 0,
  scheduled: 0,
  if_unread: 1,
  if_whatsapp_fails: 2,
};

function nudgesOf(decision: Decision, facts: WordingFacts): PreviewedNudge[] {
  const words = (send: PlannedSend): Wording | null => wordingOf(decision, send, facts);
  const whatsapp = decision.sends.find(({ channel }) => channel === 'whatsapp');
  const hasTemplate = whatsapp !== undefined && words(whatsapp) !== null;
  return decision.sends
    .flatMap((send): PreviewedNudge[] => {
      const wording = words(send);
      if (send.state === 'skipped' || wording === null) return [];
      const { channel, credits } = send;
      const time = timeOf(send, hasTemplate ? undefined : whatsapp, facts.parcels.now);
      return [{ channel, ...time, credits, ...wording }];
    })
    .sort((one, other) => ORDER[one.when] - ORDER[other.when]);
}

/** `whatsapp` is a held WhatsApp message that no template fits: at its deadline the fallback goes in its place. */
function timeOf(
  { purpose, state, dueAt, deferredFrom }: PlannedSend,
  whatsapp: PlannedSend | undefined,
  now: Date,
): Pick<PreviewedNudge, 'when' | 'at' | 'waits_until'> {
  const text = (time: Date | null): string | null => time?.toISOString() ?? null;
  if (state === 'held' && purpose === 'fallback')
    return whatsapp === undefined
      ? { when: 'if_whatsapp_fails', at: null }
      : timeOf(whatsapp, undefined, now);
  const quiet = deferredFrom === null || dueAt === null ? {} : { waits_until: dueAt.toISOString() };
  if (state === 'held') return { when: 'if_unread', at: text(dueAt), ...quiet };
  const at = deferredFrom ?? dueAt;
  return at !== null && at > now
    ? { when: 'scheduled', at: text(at), ...quiet }
    : { when: 'now', at: null, ...quiet };
}

type Wording = Pick<PreviewedNudge, 'subject' | 'text' | 'template'>;

/** As the provider would get it; null where no WhatsApp template fits. */
function wordingOf(decision: Decision, send: PlannedSend, facts: WordingFacts): Wording | null {
  const link = deadLink(facts.publicUrl);
  const outbound = composed(decision, send, facts, link);
  return (
    outbound && {
      subject: outbound.channel === 'email' ? outbound.subject : null,
      text: outbound.text.replaceAll(link, '{link}'),
      template: outbound.channel === 'whatsapp' ? (outbound.template?.name ?? null) : null,
    }
  );
}

function mailOf(decision: Decision, facts: WordingFacts) {
  const send = decision.sends.find(({ channel, state }) => channel === 'email' && state !== 'skipped');
  const mail = send && composed(decision, send, facts, deadLink(facts.publicUrl));
  return mail?.channel === 'email' ? { from: mail.fromName, subject: mail.subject, html: mail.html } : null;
}

function composed(
  { message, recipient, created }: Decision,
  { id, channel, purpose }: PlannedSend,
  { businessName, brand: { colour, logoUrl }, languages, parcels }: WordingFacts,
  link: string,
): AnyOutbound | null {
  const nudge = { businessName, reference: message.reference, orderStatus: message.orderStatus, link };
  if (channel === 'whatsapp' && whatsappTemplate(nudge) === null) return null;
  return compose({
    reference: id,
    attempt: 1,
    businessId: '',
    sendId: id,
    messageId: message.id,
    recipientId: recipient.id,
    channel,
    purpose,
    email: recipient.email,
    phone: recipient.phone?.number ?? '',
    subject: message.subject,
    body: message.body,
    orderReference: message.reference,
    orderStatus: message.orderStatus,
    parcels,
    isUpdate: !created,
    reply: null,
    replyLink: '',
    settings: { name: businessName, colour, contactEmail: null, replyForward: 'off' },
    logoUrl,
    ...languages,
    sender: null,
    link,
    unsubscribeLink: '{unsubscribe}',
    sharedDomain: 'localhost',
  });
}
