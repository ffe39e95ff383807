import { isUnavailable } from '../db/errors.ts';
import type { Pool } from '../db/pool.ts';
import { GROUP_TRANSACTION, transaction } from '../db/transaction.ts';
import { type Clock, SECOND } from '../kit/clock.ts';
import { coalesce } from '../kit/coalesce.ts';
import { domainOf } from '../kit/emailAddress.ts';
import type { Log } from '../kit/log.ts';
import type { Permitted } from './permit.ts';
import { type EndedAttempt, type RecordDeps, recordAcceptedEmails, recordAttempts } from './record.ts';
import { type ProviderCall, type ProviderCallDeps, submitToProvider } from './submitToProvider.ts';
import type { TransitionResult } from './transition.ts';

export interface SendAttemptDeps extends Omit<ProviderCallDeps, 'sharedDomain'>, RecordDeps {
  /** The address that mail comes from where a business has none of its own. The sandbox has none. */
  sharedEmailSender?: string | null;
  pool: Pool;
  clock: Clock;
  log: Log;
  onEvents: () => void;
}

/** What the answers of providers caused. */
export type OnRecorded = (written: TransitionResult) => void;

export interface SendAttempts {
  /** Calls a provider and writes down how it ended, together with whatever else ended meanwhile. Never throws. */
  make(permitted: Permitted): Promise<void>;
  /** Ends the calls under way: what was surely not taken waits again, the rest is unknown. */
  abortAll(): void;
}

const LANES = 2;
const LARGEST_LIST = 200;
const MOST_WAITING = 100_000;
/** Answers outlive a short absence of the database; after that their sends count as lost. */
const TRIES = 5;
const PAUSE_MS = SECOND;

export function createSendAttempts(deps: SendAttemptDeps, onWritten: OnRecorded): SendAttempts {
  const { pool, clock, log, sharedEmailSender = null } = deps;
  const sharedDomain =
    sharedEmailSender === null ? new URL(deps.publicUrl).hostname : domainOf(sharedEmailSender);
  const calling: ProviderCallDeps = { ...deps, sharedDomain };
  const calls = new Set<AbortController>();
  const record = (ended: readonly EndedAttempt[]): Promise<TransitionResult> =>
    transaction(pool, (tx) => recordAttempts(tx, deps, ended, clock.now()), GROUP_TRANSACTION);
  const answers = coalesce<EndedAttempt, true>({
    concurrency: LANES,
    maxItems: LARGEST_LIST,
    maxWaiting: MOST_WAITING,
    maxWaitingBytes: Number.POSITIVE_INFINITY,
    sizeOf: () => 0,
    run: async (ended) => {
      const others = await recordAcceptedEmails(pool, ended);
      if (others.length > 0) onWritten(await record(others));
      return ended.map(() => true);
    },
  });

  /** A list that fails for other reasons than an absent database is tried again in smaller company: each for itself. */
  async function writeDown(ended: EndedAttempt): Promise<void> {
    for (let attempt = 1; attempt <= TRIES; attempt += 1) {
      try {
        await answers.add(ended);
        return;
      } catch (error) {
        log.error({ error, send_id: ended.id, attempt }, 'an answer could not be written down');
        if (!isUnavailable(error)) return writeAlone(ended);
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
    }
  }

  async function writeAlone(ended: EndedAttempt): Promise<void> {
    try {
      onWritten(await record([ended]));
    } catch (error) {
      log.error({ error, send_id: ended.id }, 'an answer is lost; its send will count as unknown');
    }
  }

  return {
    async make(permitted) {
      const abort = new AbortController();
      calls.add(abort);
      const ended = await submitToProvider(calling, permitted, abort);
      calls.delete(abort);
      await writeDown(asEnded(ended, deps));
    },
    abortAll() {
      for (const abort of calls) abort.abort(new Error('stopping'));
    },
  };
}

const asEnded = (
  { permitted: { send }, answer, startedAt, endedAt }: ProviderCall,
  { providers }: Pick<ProviderCallDeps, 'providers'>,
): EndedAttempt => ({
  business_id: send.business_id,
  id: send.id,
  recipient_id: send.recipient_id,
  attempt_token: send.attempt_token ?? '',
  attempt: send.attempts,
  provider: providers[send.channel].name,
  number: send.channel === 'email' ? null : send.phone,
  paidChannel: send.channel === 'email' ? null : send.channel,
  answer,
  startedAt,
  endedAt,
});
