import type { Channel } from '../contract/channels.ts';
import { eachShard } from '../db/eachShard.ts';
import { isUnavailable } from '../db/errors.ts';
import type { Pool } from '../db/pool.ts';
import { GROUP_TRANSACTION, transaction } from '../db/transaction.ts';
import { type Clock, pause, SECOND } from '../kit/clock.ts';
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
  /** Every attempt, once its outcome is known. */
  onEnded?: (ended: EndedAttempt) => void;
  tracing?: Tracing | null;
}

const CONCURRENT_GROUPS = 2;
const MAX_GROUP_SIZE = 200;
const MAX_WAITING = 100_000;
/** Covers a short outage of the database. After that the outcome is dropped, and its send ends as unknown. */
const MAX_TRIES = 5;
const RETRY_AFTER_MS = SECOND;

/** The calls to providers that are in progress, and the outcomes that are being recorded. */
export class SendAttempts {
  readonly #deps: SendAttemptDeps;
  readonly #callDeps: ProviderCallDeps;
  /** Called after outcomes are committed. */
  readonly #onRecorded: (result: TransitionResult) => void;
  readonly #calls = new Set<AbortController>();
  readonly #outcomes = coalesce<EndedAttempt, true>({
    concurrency: CONCURRENT_GROUPS,
    maxItems: MAX_GROUP_SIZE,
    maxWaiting: MAX_WAITING,
    run: async (ended) => {
      const { pool } = this.#deps;
      const others = await recordAcceptedEmails(pool, ended);
      const businessOf = ({ send }: EndedAttempt): string => send.business_id;
      if (others.length > 0) await eachShard(pool, others, businessOf, (some) => this.#record(some));
      return ended.map(() => true);
    },
  });

  constructor(deps: SendAttemptDeps, onRecorded: (result: TransitionResult) => void) {
    const { sharedEmailSender = null } = deps;
    const sharedDomain =
      sharedEmailSender === null ? new URL(deps.publicUrl).hostname : domainOf(sharedEmailSender);
    this.#deps = deps;
    this.#callDeps = { ...deps, sharedDomain };
    this.#onRecorded = onRecorded;
  }

  /** Calls a provider and records the outcome, in one transaction with other outcomes that arrive meanwhile. Never throws. */
  async make(permitted: Permitted): Promise<void> {
    const { tracing } = this.#deps;
    const span = tracing ? attemptSpan(tracing, permitted.send) : null;
    const abort = new AbortController();
    this.#calls.add(abort);
    const ended = await submitToProvider(this.#callDeps, permitted, abort, span);
    this.#calls.delete(abort);
    await this.#recordInGroup(ended);
    this.#deps.onEnded?.(ended);
    if (span) endAttemptSpan(span, ended.answer);
  }

  /** For metrics and traces: a gate stopped this send, so there is no attempt. */
  noteStopped(send: LockedSend): void {
    this.#deps.onSkipped?.(send.channel, send.reason ?? 'skipped');
    if (this.#deps.tracing) stoppedSpan(this.#deps.tracing, send);
  }

  /** Aborts the calls in progress. A send that was certainly not accepted is queued again; the others end as unknown. */
  abortAll(): void {
    for (const abort of this.#calls) abort.abort(new Error('stopping'));
  }

  async #record(ended: readonly EndedAttempt[]): Promise<void> {
    const { pool, clock } = this.#deps;
    this.#onRecorded(
      await transaction(pool, (tx) => recordAttempts(tx, this.#deps, ended, clock.now()), GROUP_TRANSACTION),
    );
  }

  /** When a group fails while the database is available, each outcome is recorded alone: one of them caused the error. */
  async #recordInGroup(ended: EndedAttempt): Promise<void> {
    const { log } = this.#deps;
    for (let attempt = 1; attempt <= MAX_TRIES; attempt += 1) {
      try {
        await this.#outcomes.add(ended);
        return;
      } catch (error) {
        log.error({ error, send_id: ended.send.id, attempt }, 'outcome not recorded');
        if (!isUnavailable(error)) return this.#recordAlone(ended);
        await pause(RETRY_AFTER_MS);
      }
    }
  }

  async #recordAlone(ended: EndedAttempt): Promise<void> {
    try {
      await this.#record([ended]);
    } catch (error) {
      const fields = { error, send_id: ended.send.id };
      this.#deps.log.error(fields, 'outcome dropped; the send will end as unknown');
    }
  }
}
