import { eachShard } from '../db/eachShard.ts';
import type { Client, Pool } from '../db/pool.ts';
import { GROUP_TRANSACTION, TransactionEnd, transaction } from '../db/transaction.ts';
import { type Clock, DAY, earlier } from '../kit/clock.ts';
import { idBoundAt } from '../kit/ids.ts';
import type { Hasher } from '../kit/seal.ts';
import type { TraceSpan } from '../kit/tracing.ts';
import { lockOrStop } from '../outbox/carrierStops.ts';
import type { LockedSend } from '../outbox/lockSql.ts';
import { suppressUndeliverable } from '../outbox/record.ts';
import { keyFromReference, keyText, recipientKeys, type SendKey } from '../outbox/send.ts';
import { withSiblings } from '../outbox/siblings.ts';
import {
  makesDue,
  type SendTransition,
  type TransitionResult,
  transitionWrites,
} from '../outbox/transition.ts';
import type { DeliveryReport } from '../providers/callbackContent.ts';
import { rememberNotOnWhatsapp, suppress } from '../recipients/suppressions.ts';
import { afterReport } from './afterReport.ts';
import { observeReports, type ReportObserver } from './reportSpans.ts';
import { countBounces, rememberReports } from './sql.ts';

/** The results of a list of reports. */
export interface ReportTally {
  /** Changed a send. */
  applied: number;
  /** Added nothing new. */
  unchanged: number;
  /** Received before. */
  repeated: number;
  /** Match no send, or an erased one. */
  unknown: number;
}

export interface ReportDeps extends ReportObserver {
  pool: Pool;
  clock: Clock;
  hash: Hasher;
  onEvents: () => void;
  /** Called when a report makes a fallback due. */
  onSends: () => void;
}

/** Applies delivery reports. Reports that match no send change nothing. `span`: of the request that brought them. */
export async function handleReports(
  deps: ReportDeps,
  reports: readonly DeliveryReport[],
  span: TraceSpan | null = null,
): Promise<ReportTally> {
  const observe = observeReports(deps, span);
  const businessOf = ({ reference }: DeliveryReport) => keyFromReference(reference)?.business_id ?? '';
  const results = await eachShard(deps.pool, reports, businessOf, (some) =>
    transaction(deps.pool, (tx) => applyReports(tx, deps.hash, some, deps.clock.now()), GROUP_TRANSACTION),
  );
  if (results.some(({ deliveries }) => deliveries > 0)) deps.onEvents();
  if (results.some(({ due }) => due)) deps.onSends();
  observe(results.flatMap(({ appliedReports }) => appliedReports));
  const sum = (of: (result: ReportsResult) => number): number =>
    results.reduce((total, result) => total + of(result), 0);
  const repeated = sum((result) => result.repeated);
  const unknown = sum((result) => result.unknown);
  const applied = sum(({ appliedReports }) => appliedReports.length);
  return { applied, repeated, unknown, unchanged: reports.length - applied - repeated - unknown };
}

interface AppliedReport {
  report: DeliveryReport;
  send: LockedSend;
}

interface ReportsResult extends TransitionResult {
  repeated: number;
  unknown: number;
  appliedReports: AppliedReport[];
}

/** The same in the caller's transaction. Reports apply in order; a send with several is written once. */
export async function applyReports(
  tx: Client,
  hash: Hasher,
  reports: readonly DeliveryReport[],
  now: Date,
): Promise<TransactionEnd<ReportsResult>> {
  const fresh = await withoutRepeated(tx, reports, now);
  const matched = fresh.flatMap((report) => {
    const key = keyFromReference(report.reference);
    return key === null ? [] : [{ report, key }];
  });
  const repeated = reports.length - fresh.length;
  const appliedReports: AppliedReport[] = [];
  let unknown = fresh.length - matched.length;
  if (matched.length === 0)
    return TransactionEnd.noFinalWrites({ deliveries: 0, due: false, repeated, unknown, appliedReports });
  const stops = matched.flatMap(({ key, report }) =>
    report.stopped === true
      ? [{ key, number: report.number ?? null, channel: report.paidChannel ?? null }]
      : [],
  );
  const keys = unique(matched.map(({ key }) => key));
  const { concerned, cancelled } = await lockOrStop(tx, hash, keys, stops, now);

  const changes = new Map(
    concerned.map((send): [string, SendTransition] => [keyText(send), { before: send, after: send }]),
  );
  for (const { report, key } of matched) {
    const change = changes.get(keyText(key));
    if (!change) {
      unknown += 1;
      continue;
    }
    const after = afterReport(change.after, report, now);
    if (after === change.after) continue;
    changes.set(keyText(key), { before: change.before, after });
    appliedReports.push({ report, send: after });
  }
  await suppressReported(tx, hash, appliedReports, now);
  const all = withSiblings([...changes.values()], concerned, now);
  const writeChanges = await transitionWrites(tx, all, now);
  const due = makesDue(all, now);
  return TransactionEnd.finalWrites((send) => {
    const deliveries = writeChanges(send);
    return () => ({ deliveries: cancelled + deliveries(), due, repeated, unknown, appliedReports });
  });
}

async function withoutRepeated(tx: Client, reports: readonly DeliveryReport[], now: Date) {
  const named = reports.filter(({ reportId }) => reportId !== null);
  if (named.length === 0) return [...reports];
  const providers = named.map(({ provider }) => provider);
  const ids = named.map(({ reportId }) => reportId ?? '');
  const remembered = await rememberReports(tx, providers, ids, now);
  const fresh = new Set(remembered.map(({ provider, report_id }) => `${provider} ${report_id}`));
  return reports.filter(
    ({ provider, reportId }) => reportId === null || fresh.delete(`${provider} ${reportId}`),
  );
}

/** Suppresses undeliverable addresses and people who complained, and remembers numbers that are not on WhatsApp. */
async function suppressReported(tx: Client, hash: Hasher, applied: readonly AppliedReport[], now: Date) {
  const emails = applied.filter(({ send }) => send.channel === 'email');
  const bounced = emails.filter(({ report }) => report.status === 'bounced');
  const often = await bouncedTooOften(tx, bounced, now);
  const undeliverable = bounced.filter(({ report, send }) => report.permanent === true || often.has(send));
  await suppressUndeliverable(
    tx,
    hash,
    undeliverable.map(({ send }) => send),
    now,
  );
  const complaints = emails.flatMap(({ report, send: { business_id: businessId, email, purpose } }) =>
    report.status === 'complained' && purpose !== 'reply_forward'
      ? [{ businessId, email, reason: 'complaint' as const }]
      : [],
  );
  await suppress(tx, hash, complaints, now);
  const notOnWhatsapp = applied.flatMap(({ report, send }) =>
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

const BOUNCES_COUNT_MS = 30 * DAY;

/** The sends whose bounce is one too many for their recipient. The row of a send that bounces now is not written yet. */
async function bouncedTooOften(tx: Client, bounced: readonly AppliedReport[], now: Date) {
  const counted = bounced.filter(({ report }) => report.permanentAfter !== undefined);
  if (counted.length === 0) return new Set<LockedSend>();
  const since = earlier(now, BOUNCES_COUNT_MS);
  const keys = recipientKeys(counted.map(({ send }) => send));
  const rows = await countBounces(tx, ...keys, since, idBoundAt(since));
  const before = new Map(rows.map(({ recipient_id, bounces }) => [recipient_id, bounces]));
  return new Set(
    counted.flatMap(({ report: { permanentAfter = 1 }, send }) =>
      (before.get(send.recipient_id) ?? 0) + 1 >= permanentAfter ? [send] : [],
    ),
  );
}

const unique = (keys: readonly SendKey[]) => [...new Map(keys.map((key) => [keyText(key), key])).values()];
