import type { OrderStatus } from '../contract/orderStatuses.ts';
import { sha256 } from '../kit/ids.ts';
import { type Language, languageFor } from '../language/languages.ts';
import { wordsIn } from '../language/words.ts';
import { TRACKING } from '../push/pushedBy.ts';
import type { PushItem } from '../push/request.ts';
import { defaultText, type TextSource } from '../texts/defaults.ts';
import { type OrderVariables, renderOrderText } from '../texts/render.ts';
import type { Addressee, ReportedEvent } from './decideTracking.ts';
import type { ShipmentFound, TrackingBusiness } from './sql.ts';

/** A tracking event that makes a message. */
export interface Milestone {
  reference: string;
  event: ReportedEvent;
  /** As the message tells it. */
  status: OrderStatus;
  addressee: Addressee;
  business: TrackingBusiness;
  shipment: Pick<ShipmentFound, 'carrier' | 'tracking_url' | 'expected_on'> | undefined;
}

/** One per reference, tracking number and tracking status. A caller's own key, which is one line, cannot be it. */
export const milestoneKey = ({ reference, event }: Milestone): string =>
  ['tracking', reference, event.trackingNumber, event.status].join('\n');

export const languageOf = ({ addressee, business }: Milestone): Language =>
  languageFor(addressee.language, business.language);

/** The push that tells a milestone, without its words: which they are depends on nothing that its locks protect. */
export function milestonePush(milestone: Milestone, { span }: Pick<PushItem, 'span'>): PushItem {
  const { reference, event, status, addressee, business } = milestone;
  const key = milestoneKey(milestone);
  const { tracking_channels: channels, tracking_escalate_minutes: escalateMinutes } = business;
  return {
    businessId: business.id,
    // The event's own key was checked with it.
    keyId: null,
    by: TRACKING,
    key,
    fingerprint: sha256(key).toString('hex'),
    bytes: 0,
    ...(span && { span }),
    request: {
      recipientEmail: addressee.email,
      subject: '',
      body: '',
      phone: null,
      channels: channels.length === 0 ? ['email'] : channels,
      whatsappOptIn: null,
      smsIfWhatsappFails: false,
      reference,
      orderStatus: status,
      kind: 'updateable',
      notify: true,
      sendAt: null,
      escalateMinutes,
      obsoletes: [],
      shipment: null,
      milestone: { at: event.at, trackingNumber: event.trackingNumber },
      language: null,
    },
  };
}

/** The words of the message: the shop's own, else ours. */
export const milestoneText = (milestone: Milestone, own: TextSource | undefined): TextSource => {
  const ours = defaultText(milestone.status, languageOf(milestone));
  return renderOrderText(own ?? ours, variablesOf(milestone), ours);
};

function variablesOf(milestone: Milestone): OrderVariables {
  const { reference, event, status, business, shipment } = milestone;
  return {
    order: { number: reference, status: wordsIn(languageOf(milestone)).text(`status.${status}`), url: '' },
    customer: { first_name: '' },
    shop: { name: business.name },
    shipment: {
      carrier: shipment?.carrier ?? '',
      tracking_number: event.trackingNumber,
      tracking_url: shipment?.tracking_url ?? '',
      expected_on: shipment?.expected_on ?? '',
    },
    items: [],
  };
}
