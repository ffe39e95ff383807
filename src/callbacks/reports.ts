import type { PaidChannel } from '../contract/channels.ts';
import type { Client, Pool } from '../db/pool.ts';
import { GROUP_TRANSACTION, TransactionEnd, transaction } from '../db/transaction.ts';
import type { Clock } from '../kit/clock.ts';
import type { Hasher } from '../kit/seal.ts';
import { lockOrStop } from '../outbox/carrierStops.ts';
import type { LockedSend } from '../outbox/lockSql.ts';
import { suppressUndeliverable } from '../outbox/record.ts';
import { keyFromReference, keyText, type SendKey } from '../outbox/send.ts';
import { withSiblings } from '../outbox/siblings.ts';
import {
  makesDue,
  type SendTransition,
  type TransitionResult,
  transitionWrites,
} from '../outbox/transition.ts';
import { rememberNotOnWhatsapp, suppress } from '../recipients/suppressions.ts';
import { afterReport, type ReportFacts } from './afterReport.ts';
import { rememberReports } from './sql.ts';

/** A provider's report, matched to a send by the reference that we gave it. */
export interface DeliveryReport extends ReportFacts {
  provider: string;
  /** The provider's name for this report, when it has one: the same one is not heard twice. */
  reportId: string | null;
  reference: string;
  /** Of a bounce: the address will never work. A bounce that may pass suppresses nothing. */
  permanent?: boolean;
  /** The person told the carrier or the platform to let nothing more of ours through. */
  stopped?: boolean;
  /** The number it is about, where the provider says so; what it tells of it holds for no other. */
  number?: string | null;
  /** How that number was messaged. */
  paidChannel?: PaidChannel;
}

/** What became of a list of reports. */
export interface ReportTally {
  /** They were news. */
  applied: number;
  /** They told nothing new. */
  unchanged: number;
  /** They had been heard before. */
  repeated: number;
  /** They are about no send of ours, or about one that was erased. */
  unknown: number;
}

export interface ReportDeps {
  pool: Pool;
  clock: Clock;
  hash: Hasher;
  onEvents: () => void;
  /** Told when a report made a send due: a fallback. */
  onSends: () => void;
}

/** Hears reports out. Those about sends we do not know, or no longer know, change nothing. */
export async function handleReports(
  deps: ReportDeps,
  reports: readonly DeliveryReport[],
): Promise<ReportTally> {
  const { deliveries, due, tally } = await transaction(
    deps.pool,
    (tx) => applyReports(tx, deps.hash, reports, deps.clock.now()),
    GROUP_TRANSACTION,
  );
  if (deliveries > 0) deps.onEvents();
  if (due) deps.onSends();
  return tally;
}

/** As above in the caller's transaction: matched, locked, applied in their order, and told of once. */
export async function applyReports(
  tx: Client,
  hash: Hasher,
  reports: readonly DeliveryReport[],
  now: Date,
): Promise<TransactionEnd<TransitionResult & { tally: ReportTally }>> {
  const fresh = await withoutRepeated(tx, reports, now);
  const heard = fresh.flatMap((report) => {
    const key = keyFromReference(report.reference);
    return key === null ? [] : [{ report, key }];
  });
  const repeated = reports.length - fresh.length;
  const strange = fresh.length - heard.length;
  if (heard.length === 0)
    return TransactionEnd.noFinalWrites({
      deliveries: 0,
      due: false,
      tally: { applied: 0, unchanged: 0, repeated, unknown: strange },
    });
  const stops = heard.flatMap(({ key, report }) =>
    report.stopped === true
      ? [{ key, number: report.number ?? null, channel: report.paidChannel ?? null }]
      : [],
  );
  const keys = unique(heard.map(({ key }) => key));
  const { concerned, cancelled } = await lockOrStop(tx, hash, keys, stops, now);

  const changes = new Map(
    concerned.map((send): [string, SendTransition] => [keyText(send), { before: send, after: send }]),
  );
  const news: { report: DeliveryReport; send: LockedSend }[] = [];
  let unknown = strange;
  for (const { report, key } of heard) {
    const change = changes.get(keyText(key));
    if (!change) {
      unknown += 1;
      continue;
    }
    const after = afterReport(change.after, report, now);
    if (after === change.after) continue;
    changes.set(keyText(key), { before: change.before, after });
    news.push({ report, send: after });
  }
  await rememberReported(tx, hash, news, now);
  const all = withSiblings([...changes.values()], concerned, now);
  const writeChanges = await transitionWrites(tx, all, now);
  const applied = news.length;
  const tally = { applied, unchanged: reports.length - repeated - unknown - applied, repeated, unknown };
  return TransactionEnd.finalWrites((send) => {
    const deliveries = writeChanges(send);
    return () => ({ deliveries: cancelled + deliveries(), tally, due: makesDue(all, now) });
  });
}

async function withoutRepeated(
  tx: Client,
  reports: readonly DeliveryReport[],
  now: Date,
): Promise<DeliveryReport[]> {
  const named = reports.filter(({ reportId }) => reportId !== null);
  if (named.length === 0) return [...reports];
  const fresh = new Set(
    (
      await rememberReports(
        tx,
        named.map(({ provider }) => provider),
        named.map(({ reportId }) => reportId ?? ''),
        now,
      )
    ).map(({ provider, report_id }) => `${provider} ${report_id}`),
  );
  return reports.filter(
    ({ provider, reportId }) => reportId === null || fresh.delete(`${provider} ${reportId}`),
  );
}

/** What reports tell about people: addresses that do not work, people who complain, numbers not on WhatsApp. */
async function rememberReported(
  tx: Client,
  hash: Hasher,
  news: readonly { report: DeliveryReport; send: LockedSend }[],
  now: Date,
): Promise<void> {
  const emails = news.filter(({ send }) => send.channel === 'email');
  const dead = emails.filter(({ report }) => report.status === 'bounced' && report.permanent === true);
  await suppressUndeliverable(
    tx,
    hash,
    dead.map(({ send }) => send),
    now,
  );
  const annoyed = emails.filter(
    ({ report, send }) => report.status === 'complained' && send.purpose !== 'reply_forward',
  );
  await suppress(
    tx,
    hash,
    annoyed.map(({ send }) => ({
      businessId: send.business_id,
      email: send.email,
      reason: 'complaint' as const,
    })),
    now,
  );
  const notOnWhatsapp = news.flatMap(({ report, send }) =>
    send.channel === 'whatsapp' &&
    send.purpose !== 'reply_ack' &&
    report.notOnWhatsapp === true &&
    send.phone !== null &&
    (report.number ?? send.phone) === send.phone
      ? [{ businessId: send.business_id, number: send.phone }]
      : [],
  );
  await rememberNotOnWhatsapp(tx, hash, notOnWhatsapp, now);
}

const unique = (keys: readonly SendKey[]): SendKey[] => [
  ...new Map(keys.map((key) => [keyText(key), key])).values(),
];
