import type { Channel } from '../../src/contract/channels.ts';
import type { EmailSkipped } from '../../src/messages/timelineWords.ts';
import type { ReportStatus } from '../../src/providers/callbackContent.ts';
import { recordBounce, recordBounceElsewhere } from '../interface/recipientEvents.ts';
import { PAID_WAYS, PAID_WAYS_TO_WAIT } from './paidWays.ts';
import {
  type Answered,
  type Cause,
  causes,
  change,
  named,
  open,
  type Reported,
  replace,
  report,
  retract,
  unsubscribe,
  type Way,
} from './way.ts';

/*
 * Every way in which a send of each channel can end, or be on its way. The tables are keyed by the types of the product: a gate, an
 * answer, a report or a cancellation that is new does not compile here until it is tried.
 */

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

/** One after another: the clock moves between them. */
export const WAYS: Record<Channel, [string, Way][]> = {
  email: [
    ...named('not sent: ', causes(EMAIL_SKIPS, { outcomes: ['not_sent'], counted: ['email.not_sent'] })),
    ...named('of the answer ', EMAIL_ANSWERS),
    ...named('of the report ', EMAIL_REPORTS),
    ...named('', EMAIL_MORE),
  ],
  ...PAID_WAYS,
};

/** Last: the clock moves no more. */
export const WAYS_TO_WAIT: Record<Channel, [string, Way][]> = {
  email: [['waits for its time', { waits: 'scheduled', outcomes: ['under_way'], counted: [] }]],
  ...PAID_WAYS_TO_WAIT,
};
