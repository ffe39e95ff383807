import { readSettings } from '../businesses/sql.ts';
import { type ReportStatus, reportStatuses } from '../callbacks/afterReport.ts';
import { addressedTo, handleInboundSms, type InboundDeps } from '../callbacks/inboundSms.ts';
import { handleInboundWhatsapp } from '../callbacks/inboundWhatsapp.ts';
import { applyReports, type DeliveryReport, handleReports, type ReportDeps } from '../callbacks/reports.ts';
import type { Pool } from '../db/pool.ts';
import { GROUP_TRANSACTION, transaction } from '../db/transaction.ts';
import type { Clock } from '../kit/clock.ts';
import type { Log } from '../kit/log.ts';
import { type DueWork, type Loop, startLoop } from '../kit/loop.ts';
import { type DueSchedule, watched } from '../outbox/dueWorks.ts';
import { referenceOf } from '../outbox/send.ts';
import { anyDueReport, type DueReport, findByProviderId, nextDueReport, takeDueReports } from './sql.ts';

const LARGEST_LIST = 250;
/** What comes due within this time is heard together, as providers report in lists. */
const PAUSE_MS = 50;

/** Delivers the reports that the sandbox's people cause, when their time has come, as a provider would. */
export function startSandboxReports(deps: ReportDeps & { log: Log }): Loop {
  const { pool, clock, hash, log } = deps;
  return startLoop({
    name: 'sandbox reports',
    log,
    ...reportsDue(deps),
    busy: () => 0,
    pauseMs: PAUSE_MS,
    async step() {
      const now = clock.now();
      let taken = 0;
      const { deliveries, due } = await transaction(
        pool,
        async (tx) => {
          const reports = await takeDueReports(tx, now, LARGEST_LIST);
          taken = reports.length;
          return applyReports(tx, hash, reports.flatMap(asReport), now);
        },
        GROUP_TRANSACTION,
      );
      if (deliveries > 0) deps.onEvents();
      if (due) deps.onSends();
      return taken === LARGEST_LIST;
    },
  });
}

/** For a process without a worker: `wake` tells those that have one. */
export const watchSandboxReports = (deps: { pool: Pool; clock: Clock }, wake: () => void): DueWork =>
  watched(reportsDue(deps), wake);

const reportsDue = ({ pool, clock }: { pool: Pool; clock: Clock }): DueSchedule => ({
  clock,
  nextDue: async (now) => (await nextDueReport(pool, now))[0]?.due_at ?? null,
  settled: async (now) => (await anyDueReport(pool, now))[0]?.due !== true,
});

const asReport = ({ business_id, send_id, status, error_code }: DueReport): DeliveryReport[] => {
  const known = reportStatuses.find((name) => name === status);
  return known === undefined ? [] : [sandboxReport(business_id, send_id, known, error_code)];
};

const sandboxReport = (
  businessId: string,
  sendId: string,
  status: ReportStatus,
  errorCode: string | null,
): DeliveryReport => ({
  provider: 'sandbox',
  reportId: null,
  reference: referenceOf({ business_id: businessId, id: sendId }),
  status,
  errorCode,
  permanent: true,
});

/** A report that somebody asked for (`POST /sandbox/reports`). Answers whether the provider knows such a message. */
export async function reportBy(
  deps: ReportDeps,
  { providerId, status, errorCode }: { providerId: string; status: ReportStatus; errorCode: string | null },
): Promise<boolean> {
  const [found] = await findByProviderId(deps.pool, providerId);
  if (!found) return false;
  await handleReports(deps, [sandboxReport(found.business_id, found.send_id, status, errorCode)]);
  return true;
}

/** What somebody typed into the sandbox as a person's text or WhatsApp reply. */
export interface TypedMessage {
  from: string;
  body: string;
  businessId: string | null;
}

/** `POST /sandbox/sms/inbound`. Answers false when there is no such business. */
export const personTexts = (deps: InboundDeps, typed: TypedMessage): Promise<boolean> =>
  handleTyped(deps, typed, handleInboundSms);

/** `POST /sandbox/whatsapp/inbound`. Answers false when there is no such business. */
export const personReplies = (deps: InboundDeps, typed: TypedMessage): Promise<boolean> =>
  handleTyped(deps, typed, handleInboundWhatsapp);

async function handleTyped(
  deps: InboundDeps,
  typed: TypedMessage,
  hear: typeof handleInboundSms,
): Promise<boolean> {
  if (typed.businessId !== null && (await readSettings(deps.pool, [typed.businessId])).length === 0)
    return false;
  const { from, body, businessId } = typed;
  await hear(deps, { from, body, audience: addressedTo(businessId), source: null });
  return true;
}
