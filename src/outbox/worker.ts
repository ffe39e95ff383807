import type { Pool } from '../db/pool.ts';
import { isUnavailable } from '../db/transaction.ts';
import { type Clock, SECOND } from '../kit/clock.ts';
import { coalesce } from '../kit/coalesce.ts';
import type { Log } from '../kit/log.ts';
import type { Hasher } from '../kit/seal.ts';
import type { Channel } from '../nudges/channels.ts';
import type { Providers } from '../providers/provider.ts';
import { byKey } from './byKey.ts';
import { type Call, call } from './call.ts';
import { type ClaimedSend, Claimer } from './claim.ts';
import { releaseClaims } from './claimSql.ts';
import { meetDeadlines } from './deadlines.ts';
import { recordLost } from './lost.ts';
import { type Permitted, permit } from './permit.ts';
import { type EndedAttempt, record } from './record.ts';
import { keyArrays } from './send.ts';
import { Slots } from './slots.ts';

export interface WorkerDeps {
  pool: Pool;
  clock: Clock;
  log: Log;
  providers: Providers;
  publicUrl: string;
  hash: Hasher;
  unsubscribeLink: (businessId: string, recipientId: string) => string;
  /** Told after a commit that queued webhook deliveries. */
  onEvents: () => void;
  random: () => number;
}

export interface Worker {
  /** Claims once and sets going what it found; answers how much that was. */
  step(): Promise<number>;
  /** Claims that are being worked on. */
  busy(): number;
  /** Called whenever there is room again, or nothing left under way. */
  onRoom(listener: () => void): void;
  /** From now on what is claimed is given back. */
  stop(): void;
}

const RECORD_LANES = 2;
const RECORD_LIST = 250;
const RECORDS_WAITING = 100_000;
/** Answers outlive a short absence of the database; after that their sends count as lost. */
const RECORD_ATTEMPTS = 5;
const RECORD_PAUSE_MS = SECOND;

/** The phases of sending: claim, permit, call, record. Queue mechanics only; what the rules say is elsewhere. */
export function createWorker(deps: WorkerDeps): Worker {
  const { pool, clock, log, providers } = deps;
  const perChannel = <T>(of: (channel: Channel) => T): Record<Channel, T> => ({
    email: of('email'),
    sms: of('sms'),
    whatsapp: of('whatsapp'),
  });
  const timeoutMs = perChannel((channel) => providers[channel].timeoutMs);
  const providerNames = perChannel((channel) => providers[channel].name);
  const slots = new Slots(perChannel((channel) => providers[channel].maxConcurrent));
  const claimer = new Claimer(pool);
  let stopping = false;
  let underWay = 0;
  let onRoom = (): void => {};

  const told = (deliveries: number): void => {
    if (deliveries > 0) deps.onEvents();
  };

  const answers = coalesce<EndedAttempt, true>({
    lanes: RECORD_LANES,
    maxItems: RECORD_LIST,
    maxWaiting: RECORDS_WAITING,
    maxWaitingBytes: Number.POSITIVE_INFINITY,
    sizeOf: () => 0,
    run: async (ended) => {
      told(await byKey(pool, (tx) => record(tx, deps, ended, clock.now())));
      return ended.map(() => true);
    },
  });

  async function writeDown(made: Call): Promise<void> {
    const ended = endedAttempt(made, providerNames);
    for (let attempt = 1; ; attempt += 1) {
      try {
        await answers.add(ended);
        return;
      } catch (error) {
        log.error({ error, send_id: ended.id, attempt }, 'an answer could not be written down');
        if (!isUnavailable(error) || attempt === RECORD_ATTEMPTS) return;
        await new Promise((resolve) => setTimeout(resolve, RECORD_PAUSE_MS));
      }
    }
  }

  async function callAndRecord(permitted: Permitted): Promise<void> {
    await writeDown(await call(deps, permitted));
  }

  /** One list, or, when something in it fails, each alone: what is wrong with one must not hold up the others. */
  async function each(
    sends: readonly ClaimedSend[],
    work: (list: readonly ClaimedSend[]) => Promise<void>,
  ): Promise<void> {
    try {
      await work(sends);
    } catch (error) {
      log.error({ error, sends: sends.length, send_id: sends[0]?.id }, 'a list of sends failed');
      if (sends.length === 1 || isUnavailable(error)) return;
      for (const send of sends) await each([send], work);
    }
  }

  async function send(list: readonly ClaimedSend[], lease: string): Promise<void> {
    const now = clock.now();
    const { permitted, deliveries } = await byKey(pool, (tx) =>
      permit(tx, { hash: deps.hash, timeoutMs }, list, lease, now),
    );
    told(deliveries);
    // What was skipped needs its slot no longer, what is called keeps it until its answer is written down.
    const calledIds = new Set(permitted.map((one) => one.send.id));
    for (const one of list) if (!calledIds.has(one.id)) free(one);
    for (const one of permitted) void callAndRecord(one).finally(() => free(one.send));
  }

  function free(one: { business_id: string; channel: Channel }): void {
    if (slots.release(one)) onRoom();
  }

  async function handle(sends: readonly ClaimedSend[], lease: string): Promise<void> {
    const queued = sends.filter(({ state }) => state === 'queued');
    const held = sends.filter(({ state }) => state === 'held');
    const lost = sends.filter(({ state }) => state === 'submitting');
    if (stopping) {
      await releaseClaims(pool, lease, ...keyArrays([...queued, ...held]), clock.now());
      for (const one of queued) free(one);
      return;
    }
    const taken = new Set(queued);
    if (queued.length > 0) {
      await each(queued, async (list) => {
        await send(list, lease);
        for (const one of list) taken.delete(one);
      });
      // Whatever failed keeps its lease until it runs out, and is claimed again then.
      for (const one of taken) free(one);
    }
    if (held.length > 0) {
      await each(held, async (list) =>
        told(await byKey(pool, (tx) => meetDeadlines(tx, deps.hash, list, lease, clock.now()))),
      );
    }
    if (lost.length > 0) {
      await each(lost, async (list) =>
        told(await byKey(pool, (tx) => recordLost(tx, deps, providerNames, list, lease, clock.now()))),
      );
    }
  }

  return {
    async step() {
      const { lease, sends } = await claimer.claim(slots.room(), clock.now());
      if (sends.length === 0) return 0;
      for (const one of sends) if (one.state === 'queued') slots.take(one);
      underWay += 1;
      void handle(sends, lease)
        .catch((error: unknown) => log.error({ error }, 'claimed sends could not be handled'))
        .finally(() => {
          underWay -= 1;
          onRoom();
        });
      return sends.length;
    },
    busy: () => underWay + slots.inUse,
    onRoom: (listener) => {
      onRoom = listener;
    },
    stop: () => {
      stopping = true;
    },
  };
}

const endedAttempt = (
  { permitted: { send }, answer, startedAt, endedAt }: Call,
  names: Record<Channel, string>,
): EndedAttempt => ({
  business_id: send.business_id,
  id: send.id,
  attempt_token: send.attempt_token ?? '',
  attempt: send.attempts,
  provider: names[send.channel],
  answer,
  startedAt,
  endedAt,
});
