import type { Pool } from '../db/pool.ts';
import type { Queryable } from '../db/statement.ts';
import { type Clock, later } from '../kit/clock.ts';
import { coalesce } from '../kit/coalesce.ts';
import { newId } from '../kit/ids.ts';
import type { AnyOutbound, OutboundEmail } from '../providers/provider.ts';
import type { Behaviour } from './people.ts';
import { type CapturedRow, insertCaptured, insertMemberMail, listCaptured } from './sql.ts';

interface CapturedCall {
  message: AnyOutbound;
  behaviour: Behaviour;
}

export type Capture = ReturnType<typeof createCapture>;

const CONCURRENCY = 2;
const MAX_BATCH = 200;
const MAX_WAITING = 100_000;

/** Stores sent messages in batches instead of sending them. */
export function createCapture(pool: Pool, clock: Clock, onReports: (due: Date) => void) {
  const inserts = coalesce<CapturedCall, string>({
    concurrency: CONCURRENCY,
    maxItems: MAX_BATCH,
    maxWaiting: MAX_WAITING,
    run: async (arrivals) => {
      const now = clock.now();
      const named = arrivals.map((arrival, ordinal) => ({ ...arrival, id: newId(now, ordinal) }));
      const messages = named.map(({ message, behaviour, id }) => capturedRow(message, behaviour, id, now));
      const reports = named.flatMap(({ message, behaviour, id }, ordinal) =>
        behaviour.reports.map(({ status, errorCode, afterMs }) => ({
          id: newId(now, ordinal),
          business_id: message.businessId,
          provider_id: providerIdOf(id),
          status,
          error_code: errorCode,
          due_at: later(now, afterMs),
        })),
      );
      await insertCaptured(pool, JSON.stringify(messages), JSON.stringify(reports));
      for (const { due_at } of reports) onReports(due_at);
      return named.map(({ id }) => providerIdOf(id));
    },
  });
  /** Stores a message that reached the provider. Returns the provider's id of it. */
  return { keep: (arrival: CapturedCall): Promise<string> => inserts.add(arrival) };
}

/** Stores a mail to a member of a shop. It appears in the sandbox like any other. */
export async function captureMemberMail(db: Queryable, message: OutboundEmail, now: Date): Promise<void> {
  const behaviour: Behaviour = { answer: 'accepted', reports: [] };
  await insertMemberMail(db, JSON.stringify(capturedRow(message, behaviour, newId(now), now)));
}

const providerIdOf = (id: string): string => `sandbox-${id}`;

const capturedRow = (message: AnyOutbound, behaviour: Behaviour, id: string, now: Date) => ({
  id,
  business_id: message.businessId,
  send_id: message.sendId,
  message_id: message.messageId,
  recipient_id: message.recipientId,
  channel: message.channel,
  recipient: message.to,
  subject: message.channel === 'email' ? message.subject : null,
  text: message.text,
  html: message.channel === 'email' ? message.html : null,
  headers: message.channel === 'email' ? message.headers : {},
  template: message.channel === 'whatsapp' ? message.template : null,
  provider_id: providerIdOf(id),
  outcome: behaviour.answer,
  at: now,
});

/** A captured message as `GET /sandbox/outbox.json` lists it. */
export type Captured = Omit<CapturedRow, 'recipient' | 'at'> & { to: string; at: string };

const MAX_LISTED = 1_000;

/** Captured messages, newest first, optionally of one channel, for one address or number, about one message, or with ids below `before`. */
export async function captured(db: Queryable, query: CapturedQuery): Promise<Captured[]> {
  const { channel = null, to = null, before = null, messageId = null, limit = MAX_LISTED } = query;
  const rows = await listCaptured(db, channel, to, before, Math.min(limit, MAX_LISTED), messageId);
  return rows.map(({ recipient, at, ...row }) => ({ ...row, to: recipient, at: at.toISOString() }));
}

interface CapturedQuery {
  channel?: string | null;
  to?: string | null;
  before?: string | null;
  messageId?: string | null;
  limit?: number;
}
