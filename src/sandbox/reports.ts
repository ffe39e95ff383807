import { readSettings } from '../businesses/sql.ts';
import { addressedTo, handleInboundSms, type InboundDeps } from '../callbacks/inboundSms.ts';
import { handleInboundWhatsapp } from '../callbacks/inboundWhatsapp.ts';
import { observeReports } from '../callbacks/reportSpans.ts';
import { applyReports, handleReports, type ReportDeps } from '../callbacks/reports.ts';
import type { Pool } from '../db/pool.ts';
import { GROUP_TRANSACTION, transaction } from '../db/transaction.ts';
import type { Clock } from '../kit/clock.ts';
import type { Log } from '../kit/log.ts';
import { type DueWork, type Loop, startLoop } from '../kit/loop.ts';
import { type DueSchedule, watched } from '../outbox/dueWorks.ts';
import { referenceOf } from '../outbox/send.ts';
import { type DeliveryReport, type ReportStatus, reportStatuses } from '../providers/callbackContent.ts';
import { anyDueReport, type DueReport, findByProviderId, nextDueReport, takeDueReports } from './sql.ts';

const MAX_BATCH = 250;
/** Reports that come due within this time are applied in one batch, as providers send them in batches. */
const PAUSE_MS = 50;

/** Applies the planned reports when they are due, as callbacks of a provider would. */
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
      const observe = observeReports(deps);
      const { deliveries, due, appliedReports } = await transaction(
        pool,
        async (tx) => {
          const reports = await takeDueReports(tx, now, MAX_BATCH);
          taken = reports.length;
          return applyReports(tx, hash, reports.flatMap(asReport), now);
        },
        GROUP_TRANSACTION,
      );
      if (deliveries > 0) deps.onEvents();
      if (due) deps.onSends();
      observe(appliedReports);
      return taken === MAX_BATCH;
    },
  });
}

/** For a process without a worker: `wake` wakes the processes that have one. */
export const watchSandboxReports = (deps: { pool: Pool; clock: Clock }, wake: () => void): DueWork =>
  watched(reportsDue(deps), wake);

const reportsDue = ({ pool, clock }: { pool: Pool; clock: Clock }): DueSchedule => ({
  clock,
  nextDue: async (now) => (await nextDueReport(pool, now))[0]?.due_at ?? null,
  settled: async (now) => (await anyDueReport(pool, now))[0]?.due !== true,
});

const asReport = (due: DueReport): DeliveryReport[] => {
  const valid = reportStatuses.find((name) => name === due.status);
  return valid === undefined ? [] : [sandboxReport(due, valid, due.error_code)];
};

type ReportedSend = Pick<DueReport, 'business_id' | 'send_id'>;

const sandboxReport = (send: ReportedSend, status: ReportStatus, errorCode: string | null) => ({
  provider: 'sandbox',
  reportId: null,
  reference: referenceOf({ business_id: send.business_id, id: send.send_id }),
  status,
  errorCode,
  permanent: true,
});

/** A report made by hand (`POST /sandbox/reports`). Returns false for an unknown message. */
export async function reportBy(
  deps: ReportDeps,
  { providerId, status, errorCode }: { providerId: string; status: ReportStatus; errorCode: string | null },
): Promise<boolean> {
  const [found] = await findByProviderId(deps.pool, providerId);
  if (!found) return false;
  await handleReports(deps, [sandboxReport(found, status, errorCode)]);
  return true;
}

/** A text or WhatsApp reply typed into the sandbox. */
export interface TypedMessage {
  from: string;
  body: string;
  businessId: string | null;
}

/** `POST /sandbox/sms/inbound`. Returns false for an unknown business. */
export const personTexts = (deps: InboundDeps, typed: TypedMessage): Promise<boolean> =>
  handleTyped(deps, typed, handleInboundSms);

/** `POST /sandbox/whatsapp/inbound`. Returns false for an unknown business. */
export const personReplies = (deps: InboundDeps, typed: TypedMessage): Promise<boolean> =>
  handleTyped(deps, typed, handleInboundWhatsapp);

async function handleTyped(deps: InboundDeps, typed: TypedMessage, handle: typeof handleInboundSms) {
  const { from, body, businessId } = typed;
  if (businessId !== null && (await readSettings(deps.pool, [businessId])).length === 0) return false;
  await handle(deps, { from, body, audience: addressedTo(businessId), source: null });
  return true;
}
