import type { Channel } from '../contract/channels.ts';
import { eachShard } from '../db/eachShard.ts';
import { isUnavailable } from '../db/errors.ts';
import type { Pool } from '../db/pool.ts';
import { GROUP_TRANSACTION, transaction } from '../db/transaction.ts';
import { type Clock, SECOND } from '../kit/clock.ts';
import { coalesce } from '../kit/coalesce.ts';
import { domainOf } from '../kit/emailAddress.ts';
import type { Log } from '../kit/log.ts';
import type { Tracing } from '../kit/tracing.ts';
import { attemptSpan, endAttemptSpan, stoppedSpan } from './attemptSpan.ts';
import type { LockedSend } from './lockSql.ts';
import type { Permitted } from './permit.ts';
import { type EndedAttempt, type RecordDeps, recordAcceptedEmails, recordAttempts } from './record.ts';
import { type ProviderCallDeps, submitToProvider } from './submitToProvider.ts';
import type { TransitionResult } from './transition.ts';

export interface SendAttemptDeps extends Omit<ProviderCallDeps, 'sharedDomain'>, RecordDeps {
  /** The sender of mail for businesses without their own address; null in the sandbox. */
  sharedEmailSender?: string | null;
  pool: Pool;
  clock: Clock;
  log: Log;
  onEvents: () => void;
  /** A gate stopped a send. */
  onSkipped?: (channel: Channel, reason: string) => void;
  tracing?: Tracing | null;
}

/** Called after outcomes are committed. */
type OnRecorded = (result: TransitionResult) => void;

interface SendAttempts {
  /** Calls a provider and records the outcome, in one transaction with other outcomes that arrive meanwhile. Never throws. */
  make(permitted: Permitted): Promise<void>;
  /** For metrics and traces: a gate stopped this send, so there is no attempt. */
  noteStopped(send: LockedSend): void;
  /** Aborts the calls in progress. A send that was certainly not accepted is queued again; the others end as unknown. */
  abortAll(): void;
}

const CONCURRENT_GROUPS = 2;
const MAX_GROUP_SIZE = 200;
const MAX_WAITING = 100_000;
/** Covers a short outage of the database. After that the outcome is dropped, and its send ends as unknown. */
const MAX_TRIES = 5;
const RETRY_AFTER_MS = SECOND;

export function createSendAttempts(deps: SendAttemptDeps, onRecorded: OnRecorded): SendAttempts {
  const { pool, clock, log, sharedEmailSender = null } = deps;
  const sharedDomain =
    sharedEmailSender === null ? new URL(deps.publicUrl).hostname : domainOf(sharedEmailSender);
  const callDeps: ProviderCallDeps = { ...deps, sharedDomain };
  const calls = new Set<AbortController>();
  const record = (ended: readonly EndedAttempt[]): Promise<TransitionResult> =>
    transaction(pool, (tx) => recordAttempts(tx, deps, ended, clock.now()), GROUP_TRANSACTION);
  const outcomes = coalesce<EndedAttempt, true>({
    concurrency: CONCURRENT_GROUPS,
    maxItems: MAX_GROUP_SIZE,
    maxWaiting: MAX_WAITING,
    maxWaitingBytes: Number.POSITIVE_INFINITY,
    sizeOf: () => 0,
    run: async (ended) => {
      const others = await recordAcceptedEmails(pool, ended);
      if (others.length > 0)
        await eachShard(
          pool,
          others,
          ({ send }) => send.business_id,
          async (some) => onRecorded(await record(some)),
        );
      return ended.map(() => true);
    },
  });

  /** When a group fails while the database is available, each outcome is recorded alone: one of them caused the error. */
  async function recordInGroup(ended: EndedAttempt): Promise<void> {
    for (let attempt = 1; attempt <= MAX_TRIES; attempt += 1) {
      try {
        await outcomes.add(ended);
        return;
      } catch (error) {
        log.error({ error, send_id: ended.send.id, attempt }, 'outcome not recorded');
        if (!isUnavailable(error)) return recordAlone(ended);
        await new Promise((resolve) => setTimeout(resolve, RETRY_AFTER_MS));
      }
    }
  }

  async function recordAlone(ended: EndedAttempt): Promise<void> {
    try {
      onRecorded(await record([ended]));
    } catch (error) {
      log.error({ error, send_id: ended.send.id }, 'outcome dropped; the send will end as unknown');
    }
  }

  return {
    async make(permitted) {
      const span = deps.tracing ? attemptSpan(deps.tracing, permitted.send) : null;
      const abort = new AbortController();
      calls.add(abort);
      const ended = await submitToProvider(callDeps, permitted, abort, span);
      calls.delete(abort);
      await recordInGroup(ended);
      if (span) endAttemptSpan(span, ended.answer);
    },
    noteStopped(send) {
      deps.onSkipped?.(send.channel, send.reason ?? 'skipped');
      if (deps.tracing) stoppedSpan(deps.tracing, send);
    },
    abortAll() {
      for (const abort of calls) abort.abort(new Error('stopping'));
    },
  };
}
