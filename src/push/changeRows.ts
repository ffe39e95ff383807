import { newId } from '../kit/ids.ts';
import type { TraceContext } from '../kit/tracing.ts';
import type { HistoryType } from '../outbox/historyOfSend.ts';
import { rowFrom } from '../recipients/recipientRow.ts';
import type { UsageFact } from '../usage/counters.ts';
import { countsJson } from '../usage/sql.ts';
import { type EventRow, eventRow } from '../webhooks/events.ts';
import type { ChangeParameters } from './applySql.ts';
import type { Decision } from './decide.ts';
import type { OrderChange } from './orderChanges.ts';
import type { ResponseRow } from './outcomes.ts';
import type { MessageState, ToldByHand } from './snapshot.ts';
import { skippedPaid, usageOfPush } from './usageOfPush.ts';
import type { WriteSet } from './writeSet.ts';

/** How a recipient is written, the more comprehensive first: it wins over those of other pushes in the group. */
const WRITES = ['insert', 'update', 'language'] as const;
type RecipientWrite = (typeof WRITES)[number];

/** The statement sets an omitted column to null or `now`; omitting them keeps the JSON small. */
type Row = Record<string, unknown>;

/**
 * The rows of a group with any kind of change. One item can insert a row and a later one change it; only the final version
 * is written, since one statement cannot write a row twice.
 */
export class ChangeRows {
  readonly #recipients = new Map<string, { change: RecipientWrite; row: Row }>();
  readonly #messages = new Map<string, { isNew: boolean; row: Row }>();
  readonly #obsoleted = new Map<string, Row>();
  readonly #sends = new Map<string, Row>();
  readonly #cancelled: Row[] = [];
  readonly #credits = new Map<string, { business_id: string; reserved: number; refunded: number }>();
  readonly #refunds: Row[] = [];
  readonly #consent: Row[] = [];
  readonly #events: EventRow[] = [];
  readonly #records: ResponseRow[] = [];
  readonly #history: Row[] = [];
  readonly #usage: UsageFact[] = [];
  readonly #orderChanges: Row[] = [];
  readonly #now: Date;
  /** `now` as text, since JSON.stringify would format the date once per row, which is slow. */
  readonly #at: string;

  constructor(now: Date, { decided, batchRecords }: WriteSet) {
    this.#now = now;
    this.#at = now.toISOString();
    for (const { decision, answer, by, trace } of decided) {
      this.#add(decision, by, trace);
      this.#records.push(answer);
    }
    this.#records.push(...batchRecords);
  }

  #add(decision: Decision, by: string | null, trace: TraceContext | undefined): void {
    const { businessId, recipient, message } = decision;
    if (decision.recipientChange !== 'none') {
      const before = this.#recipients.get(recipient.id)?.change ?? 'language';
      this.#recipients.set(recipient.id, {
        change: WRITES.find((one) => one === before || one === decision.recipientChange) ?? before,
        row: { business_id: businessId, ...rowFrom(recipient), created_at: this.#at },
      });
    }
    const earlier = this.#messages.get(message.id);
    this.#messages.set(message.id, {
      isNew: decision.created || earlier?.isNew === true,
      row: {
        ...messageRow(businessId, message),
        trace_context: trace,
        ...(decision.created ? { ...skipsOf(decision), pushed_by: by ?? undefined } : ofFirstPush(earlier)),
      },
    });
    this.#addHistory(decision, by);
    this.#usage.push(...usageOfPush(decision, this.#now));
    for (const old of decision.obsoleted) this.#makeObsolete(businessId, old, message.id);
    for (const { send, reason } of decision.cancelled) this.#cancel(businessId, send.id, reason);
    for (const send of decision.sends) this.#sends.set(send.id, sendRow(decision, send, this.#at));
    this.#moveCredits(businessId, decision);
    for (const entry of decision.consent) {
      this.#consent.push({
        business_id: businessId,
        id: newId(this.#now, this.#consent.length),
        recipient_id: recipient.id,
        ...entry,
        at: this.#at,
      });
    }
    for (const event of decision.events) this.#events.push(eventRow(event, this.#now, this.#events.length));
    for (const change of decision.orderChanges) this.#orderChanges.push(orderChangeRow(businessId, change));
  }

  /**
   * A message that is updated in place keeps a row for each update; the message's own columns are about its first push. What quiet hours
   * defer is kept, since nothing tells it once the send is gone.
   */
  #addHistory(decision: Decision, by: string | null): void {
    const entries: { type: HistoryType; detail?: string; send_id?: string }[] = [
      ...(decision.created ? [] : updateEntries(decision, by)),
      ...(decision.message.milestoneAt === null ? [] : [{ type: 'message.milestone' } as const]),
      ...decision.sends.flatMap(deferralOf),
    ];
    for (const entry of entries)
      this.#history.push({
        business_id: decision.businessId,
        id: newId(this.#now, this.#history.length),
        message_id: decision.message.id,
        ...entry,
        at: this.#at,
      });
  }

  /** The parameters of `writeGroupChanges` after `now`, in order. */
  parameters(): ChangeParameters {
    const recipients = (change: RecipientWrite): Row[] =>
      [...this.#recipients.values()].filter((one) => one.change === change).map(({ row }) => row);
    const messages = [...this.#messages.values()];
    const credits = [...this.#credits.values()].filter(
      ({ reserved, refunded }) => reserved !== 0 || refunded !== 0,
    );
    return [
      JSON.stringify(recipients('insert')),
      JSON.stringify(recipients('update')),
      JSON.stringify(messages.filter(({ isNew }) => isNew).map(({ row }) => row)),
      JSON.stringify(messages.filter(({ isNew }) => !isNew).map(({ row }) => row)),
      JSON.stringify([...this.#obsoleted.values()]),
      JSON.stringify([...this.#sends.values()]),
      JSON.stringify(this.#cancelled),
      JSON.stringify(credits),
      JSON.stringify(this.#consent),
      JSON.stringify(this.#events),
      JSON.stringify(this.#records),
      JSON.stringify(this.#refunds),
      JSON.stringify(this.#history),
      countsJson(this.#usage) ?? '[]',
      JSON.stringify(languagesOf(recipients('language'))),
      JSON.stringify(this.#orderChanges),
    ];
  }

  /** Releases the reserved credits of cancelled sends, and refunds credits that were already spent on them. */
  #moveCredits(businessId: string, { setAside, cancelled }: Decision): void {
    const business_id = businessId;
    const sum = this.#credits.get(businessId) ?? { business_id, reserved: 0, refunded: 0 };
    sum.reserved += setAside;
    for (const { send } of cancelled) {
      const { id: send_id, charged: amount } = send;
      if (amount === 0) continue;
      sum.refunded += amount;
      const id = newId(this.#now, this.#refunds.length);
      this.#refunds.push({ business_id, id, amount, send_id, at: this.#at });
    }
    this.#credits.set(businessId, sum);
  }

  #makeObsolete(businessId: string, old: MessageState, replacedBy: string): void {
    const written = this.#messages.get(old.id);
    if (written)
      Object.assign(written.row, { status: 'obsolete', replaced_by: replacedBy, obsoleted_at: this.#at });
    else this.#obsoleted.set(old.id, { business_id: businessId, id: old.id, replaced_by: replacedBy });
  }

  #cancel(businessId: string, id: string, reason: string): void {
    const planned = this.#sends.get(id);
    if (planned === undefined) this.#cancelled.push({ business_id: businessId, id, reason });
    else
      Object.assign(planned, {
        state: 'cancelled',
        reason,
        due_at: undefined,
        deferred_from: undefined,
        reserved: undefined,
        last_status_at: this.#at,
      });
  }
}

const updateEntries = (decision: Decision, by: string | null): { type: HistoryType; detail?: string }[] => [
  { type: 'message.updated', ...(by !== null && { detail: by }) },
  ...skippedPaid(decision).map(
    ({ channel, reason }) => ({ type: `${channel}.skipped`, detail: reason }) as const,
  ),
];

const deferralOf = ({ id, channel, dueAt, deferredFrom }: Decision['sends'][number]) =>
  channel === 'email' || dueAt === null || deferredFrom === null
    ? []
    : [{ type: `${channel}.deferred`, detail: dueAt.toISOString(), send_id: id } as const];

/** By id, the order in which every transaction locks recipients. */
const languagesOf = (rows: readonly Row[]): Row[] =>
  rows
    .map(({ business_id, id, language }) => ({ business_id, id, language }))
    .sort((one, other) => (String(one.id) < String(other.id) ? -1 : 1));

/** Why the push that created the message sent no text or WhatsApp message. */
const skipsOf = (decision: Decision): Row =>
  Object.fromEntries(skippedPaid(decision).map(({ channel, reason }) => [`${channel}_skipped`, reason]));

/** What an update in the same group does not change. */
function ofFirstPush(earlier: { row: Row } | undefined): Row {
  if (earlier === undefined) return {};
  const { sms_skipped, whatsapp_skipped, pushed_by } = earlier.row;
  return { sms_skipped, whatsapp_skipped, pushed_by };
}

const messageRow = (businessId: string, message: MessageState): Row => ({
  business_id: businessId,
  id: message.id,
  recipient_id: message.recipientId,
  subject: message.subject,
  body: message.body,
  kind: message.kind,
  status: message.status,
  reference: message.reference ?? undefined,
  order_status: message.orderStatus ?? undefined,
  order_status_at: message.orderStatusAt?.toISOString(),
  tracking_number: message.trackingNumber ?? undefined,
  milestone_at: message.milestoneAt?.toISOString(),
  told_by_hand: message.toldByHand.length === 0 ? undefined : message.toldByHand.map(toldRow),
  scheduled_for: message.scheduledFor?.toISOString(),
  unread_again: message.unreadAgain || undefined,
});

const toldRow = ({ orderStatus, at }: ToldByHand) => ({ order_status: orderStatus, at });

const orderChangeRow = (businessId: string, change: OrderChange): Row => ({
  business_id: businessId,
  id: change.id,
  reference: change.reference,
  recipient_id: change.recipientId ?? undefined,
  status: change.status ?? undefined,
  status_at: change.statusAt?.toISOString(),
  recounts: change.recounts || undefined,
});

const sendRow = (decision: Decision, send: Decision['sends'][number], at: string): Row => ({
  business_id: decision.businessId,
  id: send.id,
  message_id: decision.message.id,
  recipient_id: decision.recipient.id,
  channel: send.channel,
  purpose: send.purpose,
  state: send.state,
  reason: send.reason ?? undefined,
  due_at: send.dueAt?.toISOString(),
  deferred_from: send.deferredFrom?.toISOString(),
  credits: send.credits || undefined,
  reserved: send.reserved || undefined,
  country: send.country ?? undefined,
  escalate_minutes: send.escalateMinutes ?? undefined,
  fallback_of: send.fallbackOf ?? undefined,
  last_status_at: send.state === 'skipped' ? at : undefined,
});
