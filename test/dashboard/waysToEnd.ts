import type { SettingsChange } from '../../src/businesses/settings.ts';
import type { Channel, PaidChannel } from '../../src/contract/channels.ts';
import type { EmailOutcome, PaidOutcome } from '../../src/messages/outcomes.ts';
import type { EmailSkipped, PaidSkipped } from '../../src/messages/timelineWords.ts';
import type { ReportStatus } from '../../src/providers/callbackContent.ts';
import type { ProviderAnswer } from '../../src/providers/provider.ts';
import type { CancelReason } from '../../src/usage/counters.ts';
import { openFromEmail, textStop } from '../interface/happenings.ts';
import {
  insertStop,
  recordBounce,
  recordBounceElsewhere,
  recordNotOnWhatsapp,
  recordUnsubscribe,
} from '../interface/recipientEvents.ts';
import type { TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';
import { capturedMessages } from '../support/waiting.ts';

/*
 * Every way in which a send of each channel can end, or be on its way. The tables are keyed by the types of the product: a gate, an
 * answer, a report or a cancellation that is new does not compile here until it is tried.
 */

export interface Customer {
  service: TestService;
  shop: Shop;
  email: string;
  phone: string;
}
/** Once there is a message. */
export type Told = Customer & { id: string };

export interface Way {
  /** Whom the sandbox knows by the name in the address, or by the last digits of the number. */
  person?: string;
  digits?: string;
  before?(customer: Customer): Promise<unknown>;
  settings?: SettingsChange;
  push?: Record<string, unknown>;
  /** How long the send waits before the cause comes, and then ends the wait. */
  waits?: 'scheduled' | 'until unread';
  cause?(told: Told): Promise<unknown>;
  outcomes: readonly (EmailOutcome | PaidOutcome)[];
  /** The API has no word for a channel that never had a send. */
  isRefusal?: true;
  /** What usage counts of it, each once. */
  counted: readonly string[];
}

type Cause = Omit<Way, 'outcomes' | 'counted'>;

/** What a WhatsApp message needs. */
export const ON_EVERY_CHANNEL = {
  whatsapp_opt_in: { source: 'checkout' },
  reference: '#1001',
  order_status: 'shipped',
};

const change =
  (settings: SettingsChange) =>
  ({ service, shop }: Customer) =>
    service.change(shop, settings);
const retract = ({ shop, id }: Told) => shop.post(`/api/v1/messages/${id}/retract`);
const replace = ({ shop, id }: Told) =>
  shop.pushed({ recipient_email: 'silent+newer@example.com', obsoletes: [id] });
const open = ({ service, id }: Told) => openFromEmail(service, id);
const unsubscribe = ({ service, shop, email }: Customer) => recordUnsubscribe(service, shop, email);
const noCredits = ({ service, shop }: Customer) =>
  service.pool.query('update credit_accounts set balance = 0 where business_id = $1', [shop.businessId]);
/** Another message of the channel to the same customer, just now. */
const sendEarlier =
  (channel: PaidChannel) =>
  async ({ service, shop, email, phone }: Customer) => {
    await shop.pushed({
      ...ON_EVERY_CHANNEL,
      recipient_email: email,
      recipient_phone: phone,
      channels: [channel],
    });
    await service.advance({ seconds: 2 });
  };
/** Changed behind the product's back: its own ways end what waits at once. */
const withNumber =
  (set: string) =>
  ({ service, shop, phone }: Customer) =>
    service.pool.query(`update recipients set ${set} where business_id = $1 and phone = $2`, [
      shop.businessId,
      phone,
    ]);

/** What the provider reports of a send that it accepted. */
export const report =
  (channel: Channel, status: ReportStatus, error_code: string | null = null) =>
  async ({ service, id }: Told) => {
    const captured = await capturedMessages(service.url, { channel });
    const provider_id = captured.find(({ message_id }) => message_id === id)?.provider_id;
    const answer = await fetch(`${service.url}/sandbox/reports`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ provider_id, status, error_code }),
    });
    if (answer.status !== 200) throw new Error(`the report answered ${answer.status}`);
  };

const EMAIL_SKIPS: Record<EmailSkipped, Cause> = {
  business_inactive: { waits: 'scheduled', cause: change({ active: false }) },
  sending_paused: { settings: { paused: true } },
  plan_lapsed: { settings: { plan: 'lapsed' } },
  unsubscribed: { before: unsubscribe },
  suppressed: { before: ({ service, shop, email }) => recordBounce(service, shop, email) },
  platform_suppressed: { before: ({ service, email }) => recordBounceElsewhere(service, email) },
  daily_cap_reached: { settings: { dailyEmailCap: 0 } },
  message_retracted: { waits: 'scheduled', cause: retract },
  message_obsolete: { waits: 'scheduled', cause: replace },
};

type Answered = Record<Exclude<ProviderAnswer['outcome'], 'not_set_up'>, Way>;
type Reported = Record<ReportStatus, Way>;

const EMAIL_ANSWERS: Answered = {
  accepted: { person: 'silent', outcomes: ['under_way'], counted: [] },
  refused: { person: 'refuse', outcomes: ['failed', 'rejected'], counted: ['email.failed'] },
  not_taken: { person: 'down', outcomes: ['failed'], counted: ['email.failed'] },
  unknown: { person: 'unknown', outcomes: ['failed', 'unknown'], counted: ['email.failed'] },
};

const emailReport = (status: ReportStatus, way: Omit<Way, 'cause'>): Way => ({
  person: 'silent',
  cause: report('email', status),
  ...way,
});
const EMAIL_REPORTS: Reported = {
  delivered: emailReport('delivered', { outcomes: ['delivered'], counted: ['email.delivered'] }),
  bounced: emailReport('bounced', { outcomes: ['bounced'], counted: ['email.bounced'] }),
  complained: emailReport('complained', {
    outcomes: ['delivered', 'complained'],
    counted: ['email.delivered', 'email.complained'],
  }),
  failed: emailReport('failed', { outcomes: ['failed', 'rejected'], counted: ['email.failed'] }),
  rejected: emailReport('rejected', { outcomes: ['failed', 'rejected'], counted: ['email.failed'] }),
  read: emailReport('read', { outcomes: ['under_way'], counted: [] }),
};

const EMAIL_MORE: Record<string, Way> = {
  'bounced after a delivery': {
    cause: report('email', 'bounced'),
    outcomes: ['delivered', 'bounced'],
    counted: ['email.delivered', 'email.bounced'],
  },
  'bounced, and its message opened later': {
    person: 'bounce',
    cause: open,
    outcomes: ['opened', 'bounced'],
    counted: ['email.bounced', 'email.opened'],
  },
  'of a soft bounce': {
    person: 'silent',
    cause: report('email', 'bounced', 'smtp_bounce_5.2.2'),
    outcomes: ['bounced'],
    counted: ['email.bounced'],
  },
  'delivered and opened': {
    cause: open,
    outcomes: ['delivered', 'opened'],
    counted: ['email.delivered', 'email.opened'],
  },
  'opened without a report': {
    person: 'silent',
    cause: open,
    outcomes: ['opened'],
    counted: ['email.opened'],
  },
  'unknown, and delivered after all': {
    person: 'unknown',
    cause: report('email', 'delivered'),
    outcomes: ['delivered'],
    counted: ['email.failed', 'email.delivered'],
  },
  'superseded by a newer one': {
    push: { kind: 'updateable' },
    waits: 'scheduled',
    cause: ({ shop, email }) =>
      shop.pushed({ recipient_email: email, kind: 'updateable', notify: true, body: 'Newer.' }),
    outcomes: ['delivered'],
    counted: ['email.delivered'],
  },
  'not wanted by its push': { push: { notify: false }, outcomes: ['none'], counted: [] },
};

type WhatsappAlone = 'not_opted_in' | 'not_reachable' | 'template_not_sendable';
type SkippedOn<Own extends PaidChannel> = Exclude<
  PaidSkipped<Own> | (Own extends 'sms' ? never : WhatsappAlone),
  // The provider's limits are the provider's to know, after the push.
  'platform_limited' | CancelReason | (Own extends 'sms' ? WhatsappAlone : never)
>;
type AtPush<Own extends PaidChannel> = Exclude<SkippedOn<Own>, 'sms_warmup_cap_reached'>;
/** The push alone knows of these. */
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

const named = (family: string, ways: Record<string, Way>): [string, Way][] =>
  Object.entries(ways).map(([name, way]) => [`${family}${name}`, way]);
const causes = (table: Record<string, Cause>, end: Omit<Way, keyof Cause> | Way): Record<string, Way> =>
  Object.fromEntries(Object.entries(table).map(([reason, cause]) => [reason, { ...cause, ...end }]));
const skippedPaid = (channel: PaidChannel) =>
  ({ outcomes: ['skipped'], counted: [`${channel}.skipped`] }) satisfies Way;

const paidWays = (channel: PaidChannel, atPush: Record<string, Cause>, whenDue: Record<string, Cause>) => [
  ...named('refused at the push: ', causes(atPush, { ...skippedPaid(channel), isRefusal: true })),
  ...named('stopped when it is due: ', causes(whenDue, skippedPaid(channel))),
  ...named('of the answer ', paidAnswers(channel)),
  ...named('of the report ', paidReports(channel)),
  ...named('', paidMore(channel)),
];

/** One after another: the clock moves between them. */
export const WAYS: Record<Channel, [string, Way][]> = {
  email: [
    ...named('not sent: ', causes(EMAIL_SKIPS, { outcomes: ['not_sent'], counted: ['email.not_sent'] })),
    ...named('of the answer ', EMAIL_ANSWERS),
    ...named('of the report ', EMAIL_REPORTS),
    ...named('', EMAIL_MORE),
  ],
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

const paidWaiting = (): [string, Way][] => [
  ['waits for its time', { waits: 'scheduled', outcomes: ['queued'], counted: [] }],
  ['is held until its message is unread', { ...UNTIL_UNREAD, outcomes: ['held'], counted: [] }],
];
/** Last: the clock moves no more. */
export const WAYS_TO_WAIT: Record<Channel, [string, Way][]> = {
  email: [['waits for its time', { waits: 'scheduled', outcomes: ['under_way'], counted: [] }]],
  sms: [
    ...paidWaiting(),
    [
      'is held until WhatsApp fails',
      { push: { ...WITH_FALLBACK }, digits: '9004', outcomes: ['held'], counted: [] },
    ],
  ],
  whatsapp: paidWaiting(),
};
