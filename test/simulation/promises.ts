import type { SendState } from '../../src/outbox/states.ts';
import type { Journal, ProviderCall } from './journal.ts';
import type { Messages } from './messagesModel.ts';
import type { People } from './model.ts';
import type { BusinessRow, EventRow, MessageRow, SendRow, Snapshot } from './snapshot.ts';

/** What every commit is held against: what was committed before and after it, and what providers and people know. */
export interface Moment {
  before: Snapshot;
  after: Snapshot;
  now: Date;
  journal: Journal;
  businesses: readonly { id: string; people: People; messages: Messages }[];
  /** Numbers as they are kept, by hash. */
  hashOf: (number: string) => string;
  /** Credits spent on sends that an erasure has taken out of the books, by business. */
  spentOnErased: Map<string, number>;
}

/** What is wrong with this commit; nothing may be. */
export function brokenPromises(moment: Moment): string[] {
  const changed = changedSends(moment);
  return [
    ...sendsOf(moment, changed),
    ...creditsOf(moment, changed),
    ...eventsOf(moment, changed),
    ...peopleOf(moment),
    ...textsOf(moment),
    ...erasuresOf(moment),
  ];
}

/** States never go back; `submitting → queued` needs a provider that surely took nothing. */
const FOLLOWS: Record<SendState, readonly SendState[]> = {
  held: ['queued', 'skipped', 'cancelled'],
  queued: ['submitting', 'skipped', 'cancelled'],
  submitting: ['accepted', 'queued', 'delivered', 'read', 'rejected', 'failed'],
  accepted: ['delivered', 'read', 'rejected', 'failed'],
  delivered: ['read', 'failed'],
  failed: ['delivered', 'read'],
  read: [],
  rejected: [],
  skipped: [],
  cancelled: [],
};

interface SendChange {
  before: SendRow | null;
  after: SendRow;
}

function changedSends({ before, after }: Moment): SendChange[] {
  const known = new Map(before.sends.map((send) => [send.id, send]));
  return after.sends.flatMap((send) => {
    const old = known.get(send.id) ?? null;
    return old !== null && JSON.stringify(old) === JSON.stringify(send) ? [] : [{ before: old, after: send }];
  });
}

function sendsOf(moment: Moment, changed: readonly SendChange[]): string[] {
  return changed.flatMap(({ before, after }) => {
    if (before === null) return [];
    if (after.lease !== null && after.lease !== before.lease && !isDue(before, moment.now))
      return [`${after.channel} send ${after.id} was claimed before its time`];
    if (before.state === after.state) return [];
    const name = `${after.channel} send ${after.id}`;
    const calls = moment.journal.callsOf(after.id);
    const wrong: string[] = [];
    if (!FOLLOWS[before.state].includes(after.state))
      wrong.push(`${name} went from ${before.state} to ${after.state}`);
    if (before.state === 'failed' && before.reason !== 'outcome_unknown')
      wrong.push(`${name} was surely failed and is ${after.state} now`);
    if (before.state === 'delivered' && after.state === 'failed' && after.channel !== 'email')
      wrong.push(`${name} arrived and is failed now`);
    if (after.state === 'submitting') wrong.push(...whyNotBegin(moment, after, calls));
    if (after.state === 'queued' && before.state === 'submitting' && !calls.every(surelyNotTaken))
      wrong.push(`${name} is queued again although its provider may have it`);
    if (after.state === 'queued' && before.state === 'held') wrong.push(...whyNotDue(moment, before));
    if (after.state === 'accepted' && !calls.some(({ taken }) => taken))
      wrong.push(`${name} is accepted and no provider took it`);
    if ((after.state === 'delivered' || after.state === 'read') && !wasTold(moment, after.id, ARRIVALS))
      wrong.push(`${name} is ${after.state} and nobody said so`);
    return wrong;
  });
}

const isDue = ({ due_at }: SendRow, now: Date): boolean => due_at !== null && new Date(due_at) <= now;

const ARRIVALS = ['delivered', 'read', 'complained'] as const;

const wasTold = ({ journal }: Moment, sendId: string, statuses: readonly string[]): boolean =>
  [...(journal.told.get(sendId) ?? [])].some((status) => statuses.includes(status));

/** Not this call, nor anything that came of it. */
const surelyNotTaken = ({ taken, answer }: ProviderCall): boolean =>
  !taken && answer !== 'silence' && answer.outcome !== 'unknown';

/** Every gate, by what was committed when the call was permitted. */
function whyNotBegin(
  { before, now, businesses }: Moment,
  send: SendRow,
  calls: readonly ProviderCall[],
): string[] {
  const name = `${send.channel} send ${send.id} may begin although`;
  const wrong: string[] = [];
  if (!calls.every(surelyNotTaken)) wrong.push(`${name} its provider may have it already`);
  const business = before.businesses.find(({ id }) => id === send.business_id);
  const person = before.recipients.find(({ id }) => id === send.recipient_id);
  const message = before.messages.find(({ id }) => id === send.message_id);
  if (!business || !person) return [...wrong, `${name} it is nobody's any more`];
  if (!business.active) wrong.push(`${name} the business is not active`);
  if (send.message_id === null) return wrong;
  if (message?.status !== 'active') wrong.push(`${name} its message is ${message?.status ?? 'gone'}`);
  if (business.paused) wrong.push(`${name} sending is paused`);
  if (send.channel === 'email' && isLapsed(business, new Date(send.submitted_at ?? now)))
    wrong.push(`${name} the plan has lapsed`);
  const mode = send.channel === 'sms' ? business.sms_mode : business.whatsapp_mode;
  if (send.channel !== 'email' && mode !== 'on' && mode !== 'on_request')
    wrong.push(`${name} the channel is ${mode}`);
  const known = businesses.find(({ id }) => id === send.business_id);
  if (known?.people.forbids(person.email, send.channel)) {
    wrong.push(`${name} the person has said no, or has no number`);
  }
  return wrong;
}

/** By the moment at which it was asked: a plan may lapse while the permit is being written. */
const isLapsed = ({ plan, plan_period_end, plan_lapsed_at }: BusinessRow, at: Date): boolean =>
  (plan === 'lapsed' && plan_lapsed_at !== null && new Date(plan_lapsed_at) <= at) ||
  (plan === 'past_due' && plan_period_end !== null && new Date(plan_period_end) <= at);

const WHATSAPP_WAIT_MS = 5 * 60_000;

/** An armed send waits for its deadline, unread; a fallback for WhatsApp to fail, or to say nothing for five minutes. */
function whyNotDue({ before, after, now }: Moment, held: SendRow): string[] {
  const queued = after.sends.find(({ id }) => id === held.id);
  if (queued?.purpose === 'resend') return [];
  const name = `${held.channel} send ${held.id} is let go although`;
  const message = before.messages.find(({ id }) => id === held.message_id);
  if (message?.status !== 'active') return [`${name} its message is ${message?.status ?? 'gone'}`];
  if (held.escalate_minutes !== null && message.opened_at !== null)
    return [`${name} its message was opened before`];
  const whatsapp = after.sends.find(({ id }) => id === held.fallback_of);
  if (!whatsapp) return [];
  const silent =
    whatsapp.submitted_at !== null &&
    now.getTime() - new Date(whatsapp.submitted_at).getTime() >= WHATSAPP_WAIT_MS;
  if (whatsapp.state === 'delivered' || whatsapp.state === 'read') return [`${name} WhatsApp arrived`];
  const noStatus =
    whatsapp.state === 'accepted' || (whatsapp.state === 'failed' && whatsapp.reason === 'outcome_unknown');
  return noStatus && !silent ? [`${name} WhatsApp may still arrive`] : [];
}

/** The ledger is the balance, never below nothing; each send is paid exactly while it is with a provider or beyond. */
function creditsOf({ before, after, spentOnErased }: Moment, changed: readonly SendChange[]): string[] {
  const still = new Set(after.sends.map(({ id }) => id));
  for (const send of before.sends) {
    // What only waited costs nothing; the rest was spent, and stays so.
    if (still.has(send.id) || !send.charged || send.state === 'queued') continue;
    spentOnErased.set(send.business_id, (spentOnErased.get(send.business_id) ?? 0) + send.credits);
  }
  const wrong = after.businesses.flatMap(({ id, balance, reserved, ledger, granted }) => {
    const own = after.sends.filter(({ business_id }) => business_id === id);
    const sum = (some: readonly SendRow[]): number => some.reduce((total, { credits }) => total + credits, 0);
    const spent = sum(own.filter(({ charged }) => charged)) + (spentOnErased.get(id) ?? 0);
    const setAside = sum(own.filter((send) => send.reserved));
    return [
      ledger === balance ? [] : [`the ledger adds up to ${ledger}, the balance is ${balance}`],
      balance >= 0 && reserved >= 0 && reserved <= balance
        ? []
        : [`${reserved} of ${balance} credits are set aside`],
      reserved === setAside ? [] : [`${reserved} credits are set aside, and sends hold ${setAside}`],
      balance === granted - spent ? [] : [`of ${granted} credits ${spent} were spent, ${balance} are left`],
    ].flat();
  });
  const flags = changed.flatMap(({ after: send }) => {
    const { state, charged, reserved, credits, channel, id } = send;
    if (channel === 'email' || credits === 0)
      return charged || reserved ? [`send ${id} is free and is paid for`] : [];
    const paid = charged ? 'spent' : reserved ? 'set aside' : 'free';
    return PAID[state].includes(paid) ? [] : [`${channel} send ${id} is ${state} and its credit is ${paid}`];
  });
  return [...wrong, ...flags];
}

const PAID: Record<SendState, readonly string[]> = {
  held: ['free'],
  queued: ['set aside', 'spent'],
  submitting: ['spent'],
  accepted: ['spent'],
  delivered: ['spent'],
  read: ['spent'],
  failed: ['spent'],
  rejected: ['free'],
  skipped: ['free'],
  cancelled: ['free'],
};

/** Every event is written with its change, once, and queued for every endpoint. */
function eventsOf({ before, after }: Moment, changed: readonly SendChange[]): string[] {
  const known = new Set(before.events.map(({ id }) => id));
  const told = after.events.filter(({ id }) => !known.has(id));
  const expected = [
    ...changed.flatMap(({ before: old, after: send }) => sendEvents(old, send)),
    ...openings(before.messages, after.messages),
    ...lowBalances(before, after),
    ...plans(before, after),
    ...after.replies
      .filter(({ id }) => !before.replies.some((reply) => reply.id === id))
      .map(({ message_id }) => `whatsapp.inbound_message ${message_id}`),
  ].sort();
  const actual = told.map(({ type, message_id }) => `${type} ${message_id}`).sort();
  const wrong =
    JSON.stringify(expected) === JSON.stringify(actual)
      ? []
      : [`events told: ${actual.join(', ') || 'none'}; expected: ${expected.join(', ') || 'none'}`];
  return [...wrong, ...told.flatMap((event) => undelivered(after, event))];
}

function undelivered({ endpoints, deliveries }: Snapshot, event: EventRow): string[] {
  return endpoints
    .filter(({ business_id, live }) => live && business_id === event.business_id)
    .filter(({ id }) => !deliveries.some((one) => one.event_id === event.id && one.endpoint_id === id))
    .map(({ id }) => `the event ${event.type} ${event.id} waits for no delivery to ${id}`);
}

const UNTOLD: readonly (string | null)[] = ['not_needed', 'superseded'];

function sendEvents(before: SendRow | null, after: SendRow): string[] {
  if (after.message_id === null) return [];
  const became = (...states: SendState[]): boolean =>
    before?.state !== after.state && states.includes(after.state);
  const first = (time: 'delivered_at' | 'bounced_at' | 'complained_at'): boolean =>
    after[time] !== null && (before?.[time] ?? null) === null;
  const types: string[] = [];
  if (after.channel === 'email') {
    if (first('delivered_at')) types.push('message.delivered');
    if (first('bounced_at')) types.push('message.bounced');
    else if (became('failed', 'rejected')) types.push('message.failed');
    if (became('skipped', 'cancelled') && !UNTOLD.includes(after.reason)) types.push('message.not_sent');
    if (first('complained_at')) types.push('message.complained');
  } else {
    if (first('delivered_at')) types.push(`${after.channel}.delivered`);
    if (became('read')) types.push('whatsapp.read');
    if (became('failed')) types.push(`${after.channel}.failed`);
    if (became('rejected')) types.push(`${after.channel}.rejected`);
  }
  return types.map((type) => `${type} ${after.message_id}`);
}

const openings = (before: readonly MessageRow[], after: readonly MessageRow[]): string[] =>
  after
    .filter(({ opened_at }) => opened_at !== null)
    .filter(({ id }) => before.some((message) => message.id === id && message.opened_at === null))
    .map(({ id }) => `message.opened ${id}`);

const lowBalances = (before: Snapshot, after: Snapshot): string[] =>
  after.businesses
    .filter(({ id, balance, threshold }) =>
      before.businesses.some((old) => old.id === id && old.balance >= threshold && balance < threshold),
    )
    .map(() => 'credits.low_balance null');

const plans = (before: Snapshot, after: Snapshot): string[] =>
  after.businesses
    .filter(({ id, plan }) => before.businesses.some((old) => old.id === id && old.plan !== plan))
    .filter(({ plan }) => plan !== 'active')
    .map(({ plan }) => `plan.${plan} null`);

/** Messages, numbers, consent and opt-outs are what the model says, for each business on its own. */
function peopleOf({ after, businesses, hashOf }: Moment): string[] {
  return businesses.flatMap(({ id: businessId, people: { byEmail, stops }, messages }) => {
    const own = <Row extends { business_id: string }>(rows: readonly Row[]): Row[] =>
      rows.filter(({ business_id }) => business_id === businessId);
    const actual = own(after.recipients)
      .map((row) =>
        [
          row.email,
          row.phone,
          row.sms_status,
          row.sms_stopped_by,
          row.whatsapp_status,
          row.unsubscribed,
        ].join(' '),
      )
      .sort();
    const expected = [...byEmail]
      .map(([email, one]) =>
        [email, one.phone, one.sms, one.smsStoppedBy, one.whatsapp, one.unsubscribed].join(' '),
      )
      .sort();
    const actualStops = own(after.stops).map(({ channel, hash, made_by }) => `${channel} ${hash} ${made_by}`);
    const expectedStops = [...stops].map(([key, by]) => {
      const [channel = '', number = ''] = key.split(' ');
      return `${channel} ${hashOf(number)} ${by}`;
    });
    const actualMessages = own(after.messages).map(({ id, status }) => `${id} ${status}`);
    const expectedMessages = [...messages.byId].map(([id, { status }]) => `${id} ${status}`);
    return [
      ...different('messages', actualMessages.sort(), expectedMessages.sort()),
      ...different('people', actual, expected),
      ...different('opt-outs', actualStops.sort(), expectedStops.sort()),
    ];
  });
}

const different = (what: string, actual: readonly string[], expected: readonly string[]): string[] =>
  JSON.stringify(actual) === JSON.stringify(expected)
    ? []
    : [`${what} are ${JSON.stringify(actual)}, and should be ${JSON.stringify(expected)}`];

/** However often it was tried, resent and stood in for: at most one text of a message is, or may be, with the person. */
function textsOf({ after }: Moment): string[] {
  return after.messages
    .filter(({ kind }) => kind === 'one_off')
    .flatMap(({ id }) => {
      const texts = after.sends.filter(
        (send) =>
          send.message_id === id &&
          send.channel === 'sms' &&
          (['submitting', 'accepted', 'delivered'].includes(send.state) || send.reason === 'outcome_unknown'),
      );
      return texts.length > 1 ? [`${texts.length} texts of the message ${id} may have arrived`] : [];
    });
}

/** What is told of somebody who is gone names nobody. */
function erasuresOf({ after }: Moment): string[] {
  const known = new Set(after.recipients.map(({ id }) => id));
  return after.events
    .filter(({ recipient_id }) => recipient_id !== null && !known.has(recipient_id))
    .filter(({ data }) =>
      ['recipient_email', 'recipient_phone', 'subject', 'body'].some(
        (field) => (data[field] ?? null) !== null,
      ),
    )
    .map(({ type, id }) => `the event ${type} ${id} names somebody who was erased`);
}
