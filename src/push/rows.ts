import { newId } from '../kit/ids.ts';
import { rowFrom } from '../recipients/recipientRow.ts';
import { type EventRow, eventRow } from '../webhooks/events.ts';
import type { Decision } from './decide.ts';
import type { KnownMessage } from './known.ts';

/**
 * A stored answer; `key` is remembered within `scope` for the business. A `batch_item` answers nobody: it says whom the
 * answer to a batch repeats an older answer about.
 */
export interface RecordRow {
  business_id: string;
  scope: 'push' | 'batch' | 'batch_item';
  key: string;
  fingerprint: string;
  status: number;
  response?: string;
  recipient_id: string | undefined;
}

/** A column that is left out is null, or made on `now`: what is not written need not be read again either. */
type Row = Record<string, unknown>;

/**
 * What a list writes. Items see each other's effects, so a row may be made by one item and changed by the next:
 * only its last shape is written, since one statement cannot touch a row twice.
 */
export class Rows {
  readonly #recipients = new Map<string, { isNew: boolean; row: Row }>();
  readonly #messages = new Map<string, { isNew: boolean; row: Row }>();
  readonly #obsoleted = new Map<string, Row>();
  readonly #sends = new Map<string, Row>();
  readonly #calledOff: Row[] = [];
  readonly #credits = new Map<string, { setAside: number; givenBack: number }>();
  readonly #refunds: Row[] = [];
  readonly #consent: Row[] = [];
  readonly #events: EventRow[] = [];
  readonly #records: RecordRow[] = [];
  /** The answer to all of a batch: as long as its items' together, it is not put into the JSON. */
  #whole: string | null = null;
  readonly #now: Date;
  /** The same as it is written: a date that is put into JSON is asked for its text each time, and that is slow. */
  readonly #at: string;

  constructor(now: Date) {
    this.#now = now;
    this.#at = now.toISOString();
  }

  /** Whether there is nothing to write: whatever is decided is also remembered. */
  get nothing(): boolean {
    return this.#records.length === 0;
  }

  /** Whether any send wants a worker. */
  get queued(): boolean {
    return this.#sends.size > 0;
  }

  add(decision: Decision): void {
    const { businessId, recipient, message } = decision;
    if (decision.recipientChange !== 'none') {
      const isNew =
        decision.recipientChange === 'insert' || this.#recipients.get(recipient.id)?.isNew === true;
      this.#recipients.set(recipient.id, {
        isNew,
        row: { business_id: businessId, ...rowFrom(recipient), created_at: this.#at },
      });
    }
    const known = this.#messages.get(message.id);
    this.#messages.set(message.id, {
      isNew: decision.created || known?.isNew === true,
      row: messageRow(businessId, message),
    });
    for (const old of decision.obsoleted) this.#makeObsolete(businessId, old, message.id);
    for (const { send, reason } of decision.calledOff) this.#callOff(businessId, send.id, reason);
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
  }

  remember(record: RecordRow): void {
    this.#records.push(record);
  }

  /** The one answer of a list that is about all of it. */
  rememberWhole({ response, ...record }: RecordRow & { response: string }): void {
    this.#records.push(record);
    this.#whole = response;
  }

  /** New recipients, messages, sends and answers, where that is all there is; else null. */
  added():
    | [recipients: string, messages: string, sends: string, records: string, whole: string | null]
    | null {
    const recipients = [...this.#recipients.values()];
    const messages = [...this.#messages.values()];
    const more =
      this.#obsoleted.size +
      this.#calledOff.length +
      this.#refunds.length +
      this.#consent.length +
      this.#events.length;
    const moves = [...this.#credits.values()].some(
      ({ setAside, givenBack }) => setAside !== 0 || givenBack !== 0,
    );
    if (more > 0 || moves || ![...recipients, ...messages].every(({ isNew }) => isNew)) return null;
    return [
      JSON.stringify(recipients.map(({ row }) => row)),
      JSON.stringify(messages.map(({ row }) => row)),
      JSON.stringify([...this.#sends.values()]),
      JSON.stringify(this.#records),
      this.#whole,
    ];
  }

  /** The parameters of the statement that writes it all, in its order. */
  parameters(): [
    string,
    string,
    string,
    string,
    string,
    string,
    string,
    string,
    string,
    string,
    string,
    string,
    string | null,
  ] {
    const recipients = [...this.#recipients.values()];
    const messages = [...this.#messages.values()];
    const credits = [...this.#credits].filter(
      ([, { setAside, givenBack }]) => setAside !== 0 || givenBack !== 0,
    );
    return [
      JSON.stringify(recipients.filter(({ isNew }) => isNew).map(({ row }) => row)),
      JSON.stringify(recipients.filter(({ isNew }) => !isNew).map(({ row }) => row)),
      JSON.stringify(messages.filter(({ isNew }) => isNew).map(({ row }) => row)),
      JSON.stringify(messages.filter(({ isNew }) => !isNew).map(({ row }) => row)),
      JSON.stringify([...this.#obsoleted.values()]),
      JSON.stringify([...this.#sends.values()]),
      JSON.stringify(this.#calledOff),
      JSON.stringify(
        credits.map(([business_id, { setAside, givenBack }]) => ({
          business_id,
          set_aside: setAside,
          given_back: givenBack,
        })),
      ),
      JSON.stringify(this.#consent),
      JSON.stringify(this.#events),
      JSON.stringify(this.#records),
      JSON.stringify(this.#refunds),
      this.#whole,
    ];
  }

  /** What was set aside for a send that is called off is free again; what was spent on one is given back. */
  #moveCredits(businessId: string, { setAside, calledOff }: Decision): void {
    const sum = this.#credits.get(businessId) ?? { setAside: 0, givenBack: 0 };
    sum.setAside += setAside;
    for (const { send } of calledOff) {
      if (send.charged === 0) continue;
      sum.givenBack += send.charged;
      const id = newId(this.#now, this.#refunds.length);
      this.#refunds.push({
        business_id: businessId,
        id,
        amount: send.charged,
        send_id: send.id,
        at: this.#at,
      });
    }
    this.#credits.set(businessId, sum);
  }

  #makeObsolete(businessId: string, old: KnownMessage, replacedBy: string): void {
    const known = this.#messages.get(old.id);
    if (known)
      Object.assign(known.row, { status: 'obsolete', replaced_by: replacedBy, obsoleted_at: this.#at });
    else this.#obsoleted.set(old.id, { business_id: businessId, id: old.id, replaced_by: replacedBy });
  }

  #callOff(businessId: string, id: string, reason: string): void {
    const planned = this.#sends.get(id);
    if (planned === undefined) this.#calledOff.push({ business_id: businessId, id, reason });
    else
      Object.assign(planned, {
        state: 'cancelled',
        reason,
        due_at: undefined,
        reserved: undefined,
        last_status_at: this.#at,
      });
  }
}

const messageRow = (businessId: string, message: KnownMessage): Row => ({
  business_id: businessId,
  id: message.id,
  recipient_id: message.recipientId,
  subject: message.subject,
  body: message.body,
  kind: message.kind,
  status: message.status,
  reference: message.reference ?? undefined,
  order_status: message.orderStatus ?? undefined,
  scheduled_for: message.scheduledFor?.toISOString(),
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
  credits: send.credits || undefined,
  reserved: send.reserved || undefined,
  country: send.country ?? undefined,
  escalate_minutes: send.escalateMinutes ?? undefined,
  fallback_of: send.fallbackOf ?? undefined,
  last_status_at: send.state === 'skipped' ? at : undefined,
});
