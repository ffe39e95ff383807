import type { Pool } from '../src/db/pool.ts';
import { countsByDay } from '../src/usage/read.ts';
import { recountByDay } from '../src/usage/rebuild.ts';
import {
  accounts,
  allMessages,
  allSends,
  deliveries,
  duplicateEvents,
  duplicateSends,
  unqueuedEvents,
  wronglyCharged,
} from './auditSql.ts';
import type { FaultyReceiver } from './faultyReceiver.ts';
import type { PushResults } from './merchants.ts';
import type { ProviderLog } from './providers/providerLog.ts';
import { type Check, check } from './report.ts';

export interface AuditSources {
  pool: Pool;
  /** By the shop's number. */
  businessIds: readonly string[];
  pushed: PushResults;
  providerLog: ProviderLog;
  /** By endpoint id. */
  receivers: ReadonlyMap<string, FaultyReceiver>;
}

/** Compares the records of the merchants, providers and receivers with the database. */
export async function auditRun(
  sources: AuditSources,
): Promise<{ checks: Check[]; figures: Record<string, number> }> {
  const sends = await allSends(sources.pool);
  const states: Record<string, number> = {};
  for (const { state, reason } of sends) {
    const name = `sends ${state}${reason === null ? '' : ` (${reason})`}`;
    states[name] = (states[name] ?? 0) + 1;
  }
  return {
    checks: [
      ...(await messageChecks(sources)),
      ...(await sendChecks(sources, sends)),
      ...(await creditChecks(sources)),
      ...(await eventChecks(sources)),
      await usageCheck(sources),
    ],
    figures: { sends: sends.length, ...states },
  };
}

async function messageChecks({ pool, businessIds, pushed }: AuditSources): Promise<Check[]> {
  const stored = new Map<string, string[]>();
  for (const { business_id, id, subject } of await allMessages(pool)) {
    const place = `${business_id} ${subject}`;
    stored.set(place, [...(stored.get(place) ?? []), id]);
  }
  const lost = pushed.acknowledged.filter(
    ({ shop, subject, messageId }) => !stored.get(`${businessIds[shop]} ${subject}`)?.includes(messageId),
  );
  const twice = [...stored].filter(([, ids]) => ids.length > 1);
  return [
    check(
      'every acknowledged push is stored',
      lost.map(({ subject }) => subject),
    ),
    check(
      'one message for each idempotency key',
      twice.map(([place]) => place),
    ),
    check('a retry with the same key gets the same answer', pushed.inconsistent),
    check('no answer but 2xx, 409, 429 or 503', pushed.unexpected),
  ];
}

type SendRow = Awaited<ReturnType<typeof allSends>>[number];

const ENDS = ['delivered', 'read', 'failed', 'rejected', 'skipped', 'cancelled'];
/** An SMTP server sends no delivery reports: `accepted` is final, and an unknown outcome stays unknown. */
const REPORTS_NOTHING = 'smtp';

async function sendChecks(
  { pool, providerLog: journal }: AuditSources,
  sends: readonly SendRow[],
): Promise<Check[]> {
  const taken = journal.acceptedBy();
  const isSmtp = ({ reference, provider }: SendRow): boolean =>
    provider === REPORTS_NOTHING || (taken.get(reference)?.includes(REPORTS_NOTHING) ?? false);
  const open = sends.filter(
    (send) => !ENDS.includes(send.state) && !(send.state === 'accepted' && isSmtp(send)),
  );
  const untrue = sends.filter(
    (send) => ['accepted', 'delivered', 'read'].includes(send.state) && !taken.has(send.reference),
  );
  const forgotten = sends.filter(
    (send) => taken.has(send.reference) && !isSmtp(send) && !['delivered', 'read'].includes(send.state),
  );
  const names = (rows: readonly SendRow[]): string[] =>
    rows.map(({ reference, state, reason }) => `${reference} ${state} ${reason ?? ''}`);
  return [
    check('every send has ended', names(open)),
    check('one send per message and channel', violationsOf(await duplicateSends(pool))),
    check('no second submit to a provider', journal.resubmitted()),
    check('every send marked delivered was accepted by a provider', names(untrue)),
    check('every send that a provider accepted and reported is marked delivered', names(forgotten)),
  ];
}

async function creditChecks({ pool }: AuditSources): Promise<Check[]> {
  const rows = await accounts(pool);
  const wrong = rows.filter(
    ({ balance, reserved, ledger }) => balance !== ledger || balance < 0 || reserved !== 0,
  );
  return [
    check(
      'balance = ledger, never below 0, nothing left reserved',
      wrong.map((row) => JSON.stringify(row)),
    ),
    check('each paid send is charged as it ended', violationsOf(await wronglyCharged(pool))),
  ];
}

async function eventChecks({ pool, receivers }: AuditSources): Promise<Check[]> {
  const rows = await deliveries(pool);
  const pending = rows.filter(({ state }) => state === 'pending');
  const untrue = rows.filter(
    ({ state, endpoint_id, event_id }) =>
      state === 'delivered' && !receivers.get(endpoint_id)?.accepted.has(event_id),
  );
  const all = [...receivers.values()];
  return [
    check('each outcome has one event', violationsOf(await duplicateEvents(pool))),
    check('every event was queued for its endpoints', violationsOf(await unqueuedEvents(pool))),
    check(
      'every event is delivered, or exhausted or stopped by rule',
      pending.map(({ event_id }) => event_id),
    ),
    check(
      'every event marked delivered was accepted by the receiver',
      untrue.map(({ event_id }) => event_id),
    ),
    check(
      'every attempt has a valid signature',
      all.flatMap(({ counts }) => Array(counts.unverified).fill('unverified')),
    ),
    check(
      'an event has the same bytes on every attempt',
      all.flatMap(({ counts }) => Array(counts.changed).fill('changed')),
    ),
  ];
}

/** The chaos run erases nobody, so the counters must be what a recount of the tables is. */
async function usageCheck({ pool, businessIds }: AuditSources): Promise<Check> {
  const wrong: string[] = [];
  for (const id of businessIds) {
    const [counted, recounted] = [
      await countsByDay(pool, id, ...EVERY_DAY),
      await recountByDay(pool, id, ...EVERY_DAY),
    ];
    const days = new Set([...counted.keys(), ...recounted.keys()]);
    for (const day of days)
      if (JSON.stringify(counted.get(day)) !== JSON.stringify(recounted.get(day))) wrong.push(`${id} ${day}`);
  }
  return check('the usage counters equal a recount of the tables', wrong);
}

const EVERY_DAY = ['2000-01-01', '2100-01-01'] as const;

const violationsOf = ([row]: readonly { count: number }[]): string[] =>
  Array(row?.count ?? 0).fill('see the database');
