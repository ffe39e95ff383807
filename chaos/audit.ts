import type { Pool } from '../src/db/pool.ts';
import { countsByDay } from '../src/usage/read.ts';
import { recountByDay } from '../src/usage/rebuild.ts';
import { type AuditedSend, allMessages, allSends, deliveredEvents, TABLE_PROMISES } from './auditSql.ts';
import type { FaultyReceiver } from './faultyReceiver.ts';
import type { PushResults } from './merchants.ts';
import type { ProviderLog } from './providers/providerLog.ts';
import type { Violations } from './report.ts';

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
export async function auditRun(sources: AuditSources) {
  const { pool } = sources;
  const sends = await allSends(pool);
  const broken: Violations = await brokenByPushes(sources);
  for (const [promise, find] of Object.entries(TABLE_PROMISES))
    broken[promise] = (await find(pool)).map(({ violation }) => violation);
  Object.assign(broken, brokenBySends(sources, sends), await brokenByEvents(sources));
  broken['the usage counters equal a recount of the tables'] = await wrongCounters(sources);
  const figures: Record<string, number> = { sends: sends.length };
  for (const { state, reason } of sends) {
    const name = `sends ${state}${reason === null ? '' : ` (${reason})`}`;
    figures[name] = (figures[name] ?? 0) + 1;
  }
  return { figures, broken };
}

async function brokenByPushes({ pool, businessIds, pushed }: AuditSources): Promise<Violations> {
  const messages = await allMessages(pool);
  const stored = new Set(messages.map(({ business_id, id, subject }) => `${business_id} ${id} ${subject}`));
  const acknowledged = pushed.acknowledged.map(
    ({ shop, subject, messageId }) => `${businessIds[shop]} ${messageId} ${subject}`,
  );
  return {
    'every acknowledged push is stored': acknowledged.filter((push) => !stored.has(push)),
    'a retry with the same key gets the same answer': pushed.inconsistent,
    'no answer but 2xx, 409, 429 or 503': pushed.unexpected,
  };
}

const DELIVERED = ['delivered', 'read'];
const ENDS = [...DELIVERED, 'failed', 'rejected', 'skipped', 'cancelled'];

function brokenBySends({ providerLog }: AuditSources, sends: readonly AuditedSend[]): Violations {
  const acceptedBy = providerLog.acceptedBy();
  const isAccepted = ({ reference }: AuditedSend): boolean => acceptedBy.has(reference);
  // Without delivery reports, as of an SMTP server, `accepted` is final, and an unknown outcome stays unknown.
  const unreported = providerLog.unreported();
  const isUnreported = ({ reference }: AuditedSend): boolean => unreported.has(reference);
  const those = (isWrong: (send: AuditedSend) => boolean): string[] =>
    sends.filter(isWrong).map(({ reference, state, reason }) => `${reference} ${state} ${reason ?? ''}`);
  return {
    'every send has ended': those(
      (send) => !ENDS.includes(send.state) && !(send.state === 'accepted' && isUnreported(send)),
    ),
    'no second submit to a provider': providerLog.resubmitted(),
    'every send marked delivered was accepted by a provider': those(
      (send) => ['accepted', ...DELIVERED].includes(send.state) && !isAccepted(send),
    ),
    'every send that a provider accepted and reported is marked delivered': those(
      (send) => isAccepted(send) && !isUnreported(send) && !DELIVERED.includes(send.state),
    ),
  };
}

async function brokenByEvents({ pool, receivers }: AuditSources): Promise<Violations> {
  const untrue = (await deliveredEvents(pool)).filter(
    ({ endpoint_id, event_id }) => !receivers.get(endpoint_id)?.accepted.has(event_id),
  );
  const counted = (what: 'unverified' | 'changed'): string[] =>
    [...receivers.values()].flatMap(({ counts }) => Array<string>(counts[what]).fill(what));
  return {
    'every event marked delivered was accepted by the receiver': untrue.map(({ event_id }) => event_id),
    'every attempt has a valid signature': counted('unverified'),
    'an event has the same bytes on every attempt': counted('changed'),
  };
}

const EVERY_DAY = ['2000-01-01', '2100-01-01'] as const;

/** The chaos run erases nobody, so the counters must be what a recount of the tables is. */
async function wrongCounters({ pool, businessIds }: AuditSources): Promise<string[]> {
  const wrong: string[] = [];
  for (const id of businessIds) {
    const counted = await countsByDay(pool, id, ...EVERY_DAY);
    const recounted = await recountByDay(pool, id, ...EVERY_DAY);
    for (const day of new Set([...counted.keys(), ...recounted.keys()]))
      if (JSON.stringify(counted.get(day)) !== JSON.stringify(recounted.get(day))) wrong.push(`${id} ${day}`);
  }
  return wrong;
}
