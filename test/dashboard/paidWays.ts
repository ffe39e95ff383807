import type { PaidChannel } from '../../src/contract/channels.ts';
import type { PaidSkipped } from '../../src/messages/timelineWords.ts';
import type { ReportStatus } from '../../src/providers/callbackContent.ts';
import type { CancelReason } from '../../src/usage/counters.ts';
import { textStop } from '../interface/happenings.ts';
import { insertStop, recordNotOnWhatsapp } from '../interface/recipientEvents.ts';
import {
  type Answered,
  type Cause,
  causes,
  change,
  named,
  noCredits,
  ON_EVERY_CHANNEL,
  open,
  type Reported,
  replace,
  report,
  retract,
  sendEarlier,
  unsubscribe,
  type Way,
  withNumber,
} from './way.ts';

type WhatsappAlone = 'not_opted_in' | 'not_reachable' | 'template_not_sendable';
type SkippedOn<Own extends PaidChannel> = Exclude<
  PaidSkipped<Own> | (Own extends 'sms' ? never : WhatsappAlone),
  // The provider's limits are the provider's to know, after the push.
  'platform_limited' | CancelReason | (Own extends 'sms' ? WhatsappAlone : never)
>;
type AtPush<Own extends PaidChannel> = Exclude<SkippedOn<Own>, 'sms_warmup_cap_reached'>;
/** Without the two reasons that only a push can have. */
type WhenDue<Own extends PaidChannel> = Exclude<SkippedOn<Own>, 'disabled_by_request' | 'phone_conflict'>;

const CLOSED_NUMBERS: Record<PaidChannel, string> = { sms: '+12025550143', whatsapp: '+12025550144' };

const refusedAtPush = (channel: PaidChannel): Record<AtPush<'sms'> & AtPush<'whatsapp'>, Cause> => ({
  sending_paused: { settings: { paused: true } },
  disabled_by_request: { settings: { smsMode: 'on', whatsappMode: 'on' }, push: { channels: [] } },
  unsubscribed: { before: unsubscribe },
  no_phone: { push: { recipient_phone: null, whatsapp_opt_in: null } },
  phone_conflict: {
    before: ({ shop, phone }) =>
      shop.pushed({ recipient_email: `silent+${phone.slice(1)}@example.com`, recipient_phone: phone }),
    push: { whatsapp_opt_in: null },
  },
  stopped: {
    before: async ({ service, shop, email, phone }) => {
      await shop.pushed({ recipient_email: email, recipient_phone: phone, notify: false });
      await insertStop(service, shop, channel, phone);
    },
  },
  country_not_allowed: { push: { recipient_phone: CLOSED_NUMBERS[channel] } },
  insufficient_credit: { before: noCredits },
  rate_limited: { before: sendEarlier(channel), settings: { paidPerRecipientHourCeiling: 1 } },
});
const SMS_AT_PUSH: Record<AtPush<'sms'>, Cause> = {
  ...refusedAtPush('sms'),
  sms_not_enabled: { settings: { smsMode: 'not_enabled' } },
  sms_disabled: { settings: { smsMode: 'off' } },
};
const WHATSAPP_AT_PUSH: Record<AtPush<'whatsapp'>, Cause> = {
  ...refusedAtPush('whatsapp'),
  whatsapp_not_enabled: { settings: { whatsappMode: 'not_enabled' } },
  whatsapp_disabled: { settings: { whatsappMode: 'off' } },
  not_opted_in: { push: { whatsapp_opt_in: null } },
  not_reachable: { before: ({ service, shop, phone }) => recordNotOnWhatsapp(service, shop, phone) },
  template_not_sendable: { push: { order_status: null } },
};

const UNTIL_UNREAD = { waits: 'until unread' } as const;
const stoppedWhenDue = (channel: PaidChannel): Record<WhenDue<'sms'> & WhenDue<'whatsapp'>, Cause> => ({
  sending_paused: { ...UNTIL_UNREAD, cause: change({ paused: true }) },
  unsubscribed: { ...UNTIL_UNREAD, cause: unsubscribe },
  no_phone: { ...UNTIL_UNREAD, cause: withNumber('phone = null, phone_country = null') },
  stopped: {
    ...UNTIL_UNREAD,
    cause: withNumber(`sms_status = 'stopped', sms_stopped_by = 'text', whatsapp_status = 'stopped'`),
  },
  country_not_allowed: { ...UNTIL_UNREAD, cause: change({ countriesCeiling: ['FI'] }) },
  insufficient_credit: { ...UNTIL_UNREAD, cause: noCredits },
  rate_limited: {
    ...UNTIL_UNREAD,
    before: sendEarlier(channel),
    cause: change({ paidPerRecipientHourCeiling: 1 }),
  },
});
const SMS_WHEN_DUE: Record<WhenDue<'sms'>, Cause> = {
  ...stoppedWhenDue('sms'),
  sms_not_enabled: { ...UNTIL_UNREAD, cause: change({ smsMode: 'not_enabled' }) },
  sms_disabled: { ...UNTIL_UNREAD, cause: change({ smsMode: 'off' }) },
  sms_warmup_cap_reached: {
    ...UNTIL_UNREAD,
    cause: async (told) => {
      await change({ warmup: true })(told);
      const { service, shop } = told;
      await service.pool.query(
        'update usage_slots set day = $2, texts_today = 1000 where business_id = $1 and slot = 0',
        [shop.businessId, service.clock.now()],
      );
    },
  },
};
const WHATSAPP_WHEN_DUE: Record<WhenDue<'whatsapp'>, Cause> = {
  ...stoppedWhenDue('whatsapp'),
  whatsapp_not_enabled: { ...UNTIL_UNREAD, cause: change({ whatsappMode: 'not_enabled' }) },
  whatsapp_disabled: { ...UNTIL_UNREAD, cause: change({ whatsappMode: 'off' }) },
  not_opted_in: { ...UNTIL_UNREAD, cause: withNumber(`whatsapp_status = 'none'`) },
  not_reachable: {
    ...UNTIL_UNREAD,
    cause: ({ service, shop, phone }) => recordNotOnWhatsapp(service, shop, phone),
  },
  template_not_sendable: {
    ...UNTIL_UNREAD,
    push: { order_status: 'refunded' },
    cause: ({ service }) =>
      service.pool.query(`update whatsapp_templates set state = 'in_review' where order_status = 'refunded'`),
  },
};

const paidAnswers = (channel: PaidChannel): Answered => ({
  accepted: { digits: '9004', outcomes: ['queued'], counted: [] },
  refused: { digits: '9001', outcomes: ['rejected'], counted: [`${channel}.rejected`] },
  not_taken: { digits: '9007', outcomes: ['rejected'], counted: [`${channel}.rejected`] },
  unknown: { digits: '9002', outcomes: ['failed', 'unknown'], counted: [`${channel}.failed`] },
});

function paidReports(channel: PaidChannel): Reported {
  const reported = (status: ReportStatus, outcomes: Way['outcomes'], counted = outcomes): Way => ({
    digits: '9004',
    cause: report(channel, status, status === 'failed' ? 'handset_unreachable' : null),
    outcomes,
    counted: counted.flatMap((one) => (one === 'queued' ? [] : [`${channel}.${one}`])),
  });
  const [read, counted]: [Way['outcomes'], Way['outcomes']] =
    channel === 'sms' ? [['delivered'], ['delivered']] : [['read'], ['delivered', 'read']];
  return {
    delivered: reported('delivered', ['delivered']),
    failed: reported('failed', ['failed']),
    bounced: reported('bounced', ['failed']),
    rejected: reported('rejected', ['rejected']),
    complained: reported('complained', ['queued']),
    read: reported('read', read, counted),
  };
}

/** `waits` until the message is unread, unless it says otherwise. */
function cancelledEither(
  channel: PaidChannel,
): Record<Exclude<CancelReason, 'whatsapp_sufficed' | 'not_needed'>, Way> {
  const again = { kind: 'updateable', notify: true, body: 'Newer.', channels: [channel] };
  return {
    message_retracted: {
      ...UNTIL_UNREAD,
      cause: retract,
      outcomes: ['skipped'],
      counted: ['avoided.retracted'],
    },
    message_obsolete: {
      ...UNTIL_UNREAD,
      cause: replace,
      outcomes: ['skipped'],
      counted: ['avoided.retracted'],
    },
    opened_first: {
      ...UNTIL_UNREAD,
      cause: open,
      outcomes: ['not_needed'],
      counted: ['avoided.opened_first'],
    },
    superseded: {
      ...UNTIL_UNREAD,
      push: { kind: 'updateable' },
      cause: ({ shop, email }) => shop.pushed({ ...ON_EVERY_CHANNEL, recipient_email: email, ...again }),
      outcomes: ['delivered'],
      counted: [`${channel}.delivered`],
    },
  };
}
const WITH_FALLBACK = {
  ...ON_EVERY_CHANNEL,
  channels: ['whatsapp'],
  sms_if_whatsapp_fails: true,
};
const SMS_CANCELLED: Record<CancelReason, Way> = {
  ...cancelledEither('sms'),
  whatsapp_sufficed: {
    push: WITH_FALLBACK,
    outcomes: ['not_needed'],
    counted: ['avoided.whatsapp_sufficed'],
  },
  not_needed: {
    push: WITH_FALLBACK,
    waits: 'scheduled',
    cause: change({ whatsappMode: 'off' }),
    outcomes: ['skipped'],
    isRefusal: true,
    counted: ['sms.skipped'],
  },
};

const paidMore = (channel: PaidChannel): Record<string, Way> => ({
  'retracted before its time': {
    waits: 'scheduled',
    cause: retract,
    outcomes: ['skipped'],
    counted: [`${channel}.skipped`],
  },
  'unknown, and delivered after all': {
    digits: '9002',
    cause: report(channel, 'delivered'),
    outcomes: ['delivered'],
    counted: [`${channel}.failed`, `${channel}.delivered`],
  },
  'unknown, and surely failed after all': {
    digits: '9002',
    cause: report(channel, 'failed'),
    outcomes: ['failed'],
    counted: [`${channel}.failed`],
  },
  'refused by an update in place': {
    push: { channels: [], recipient_phone: null, whatsapp_opt_in: null, kind: 'updateable' },
    cause: ({ shop, email }) =>
      shop.pushed({ recipient_email: email, kind: 'updateable', notify: true, channels: [channel] }),
    outcomes: ['skipped'],
    isRefusal: true,
    counted: [`${channel}.skipped`],
  },
  'refused when it is asked for again': {
    push: { channels: [], recipient_phone: null, whatsapp_opt_in: null },
    cause: ({ shop, id }) => shop.post(`/api/v1/messages/${id}/${channel}`),
    outcomes: ['skipped'],
    isRefusal: true,
    counted: [`${channel}.skipped`],
  },
  'never asked for': { push: { channels: [] }, outcomes: ['none'], counted: [] },
});

const WHATSAPP_MORE: Record<string, Way> = {
  'not on WhatsApp': { digits: '9005', outcomes: ['rejected'], counted: ['whatsapp.rejected'] },
  'delivered and read': {
    digits: '9008',
    outcomes: ['read'],
    counted: ['whatsapp.delivered', 'whatsapp.read'],
  },
};
const SMS_MORE: Record<string, Way> = {
  'sent instead of WhatsApp': {
    digits: '9005',
    push: WITH_FALLBACK,
    outcomes: ['delivered'],
    counted: ['sms.delivered'],
  },
  'stopped by the customer while it waits': {
    ...UNTIL_UNREAD,
    cause: ({ service, shop, phone }) => textStop(service, shop, phone),
    outcomes: ['skipped'],
    counted: ['sms.skipped'],
  },
};

const skippedPaid = (channel: PaidChannel) =>
  ({ outcomes: ['skipped'], counted: [`${channel}.skipped`] }) satisfies Way;

const paidWays = (channel: PaidChannel, atPush: Record<string, Cause>, whenDue: Record<string, Cause>) => [
  ...named('refused at the push: ', causes(atPush, { ...skippedPaid(channel), isRefusal: true })),
  ...named('stopped when it is due: ', causes(whenDue, skippedPaid(channel))),
  ...named('of the answer ', paidAnswers(channel)),
  ...named('of the report ', paidReports(channel)),
  ...named('', paidMore(channel)),
];

const paidWaiting = (): [string, Way][] => [
  ['waits for its time', { waits: 'scheduled', outcomes: ['queued'], counted: [] }],
  ['is held until its message is unread', { ...UNTIL_UNREAD, outcomes: ['held'], counted: [] }],
];

/** One after another: the clock moves between them. */
export const PAID_WAYS: Record<PaidChannel, [string, Way][]> = {
  sms: [
    ...paidWays('sms', SMS_AT_PUSH, SMS_WHEN_DUE),
    ...named('cancelled: ', SMS_CANCELLED),
    ...named('', SMS_MORE),
  ],
  whatsapp: [
    ...paidWays('whatsapp', WHATSAPP_AT_PUSH, WHATSAPP_WHEN_DUE),
    ...named('cancelled: ', cancelledEither('whatsapp')),
    ...named('', WHATSAPP_MORE),
  ],
};

/** Last: the clock moves no more. */
export const PAID_WAYS_TO_WAIT: Record<PaidChannel, [string, Way][]> = {
  sms: [
    ...paidWaiting(),
    [
      'is held until WhatsApp fails',
      { push: WITH_FALLBACK, digits: '9004', outcomes: ['held'], counted: [] },
    ],
  ],
  whatsapp: paidWaiting(),
};
