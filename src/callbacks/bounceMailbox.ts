import type { Pool } from '../db/pool.ts';
import { type Clock, later, MINUTE, SECOND } from '../kit/clock.ts';
import type { Log } from '../kit/log.ts';
import { type Loop, startLoop } from '../kit/loop.ts';
import type { Faults } from '../providers/faults.ts';
import { MailboxFailure, type MailboxSettings } from '../providers/smtp/bounces/mailboxFailure.ts';
import { claimBounceMailbox, setNextBounceRead } from './bounceMailboxSql.ts';

interface BounceMailboxDeps {
  pool: Pool;
  clock: Clock;
  log: Log;
  faults: Faults;
  mailbox: MailboxSettings & { authorities: string | null };
  /** Throws if what the mail says could not be stored: then the mail stays unread. */
  handle(mail: Buffer): Promise<void>;
}

const MAILS_A_ROUND = 50;
const ROUND_MS = MINUTE;
/** Longer than a round with its last mail. */
const LEASE_MS = 2 * MINUTE;
const READ_EVERY_MS = MINUTE;
const POLL_MS = 5 * SECOND;
/** After the first failures in a row; from then on the last. */
const PAUSES_AFTER_FAILURE_MS = [MINUTE, 5 * MINUTE, 15 * MINUTE] as const;

/** Reads returned mails from a mailbox. Any number of processes may run it: one at a time reads. */
export function startBounceMailbox(deps: BounceMailboxDeps): Pick<Loop, 'stop'> {
  const { pool, clock, log, faults, mailbox, handle } = deps;
  const stopping = new AbortController();
  let failures = 0;

  const readRound = async (): Promise<boolean> => {
    // Only where there is a mailbox to read.
    const { readMailbox } = await import('../providers/smtp/bounces/mailbox.ts');
    const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(ROUND_MS)]);
    return readMailbox(mailbox, handle, { most: MAILS_A_ROUND, signal });
  };

  const step = async (): Promise<boolean> => {
    const lease = later(clock.now(), LEASE_MS);
    if ((await claimBounceMailbox(pool, clock.now(), lease)).length === 0) return false;
    let waitMs: number = READ_EVERY_MS;
    try {
      if (await readRound()) waitMs = 0;
      failures = 0;
      faults.clear('email', 'bounce mailbox');
    } catch (error) {
      if (stopping.signal.aborted) waitMs = 0;
      else if (error instanceof MailboxFailure) {
        waitMs = PAUSES_AFTER_FAILURE_MS[failures] ?? PAUSES_AFTER_FAILURE_MS[2];
        failures += 1;
        faults.raise('email', 'bounce mailbox', error.message);
        log.warn({ code: error.code }, 'bounce mailbox not read');
      } else throw error;
    } finally {
      await setNextBounceRead(pool, lease, later(clock.now(), waitMs));
    }
    return waitMs === 0 && !stopping.signal.aborted;
  };

  const loop = startLoop({
    name: 'bounce mailbox',
    clock,
    log,
    pollMs: POLL_MS,
    busy: () => 0,
    nextDue: async () => null,
    settled: async () => true,
    step,
  });
  return {
    stop: () => {
      stopping.abort();
      return loop.stop();
    },
  };
}
