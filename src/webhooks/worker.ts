import { SECOND } from '../kit/clock.ts';
import { randomText } from '../kit/ids.ts';
import { createScanWatermark } from '../kit/scanWatermark.ts';
import { createDeliveryAttempts, type DeliveryAttemptDeps, idsOf } from './attempt.ts';
import { type Claimed, claimDeliveries, type EndpointKey, releaseDeliveries, START } from './claim.ts';
import {
  capacityLeft,
  type EndpointQueue,
  isWorthAScan,
  type Job,
  LEAST_PACE,
  newEndpointQueue,
  recordResponse,
  takeNext,
  takeStale,
  untilBehind,
} from './endpointQueue.ts';

export interface WebhookWorker {
  /** Looks once around all endpoints and sets going what it found; answers whether there may be more at once. */
  step(): Promise<boolean>;
  /** Deliveries held: waiting, under way or being written down. */
  held(): number;
  /** Gives back what has not begun; what has begun ends by itself. */
  stop(): void;
  /** Gives back what has begun, too: whoever claims it sends it again, with the same id. */
  breakOff(): void;
}

export interface WebhookWorkerDeps extends DeliveryAttemptDeps {
  /** Another step would find more. */
  onRoom: () => void;
  /** Nothing is held any more. */
  onEmpty: () => void;
}

/**
 * Deliveries that one worker holds at most, each a connection and some memory once it begins. An endpoint that fails
 * holds one of them and one that is slow a few, so it takes very many of those to hold up anyone else.
 */
const HELD_MAX = 2_000;
const CLAIM_MAX = 500;
/** An event whose transaction was slow is found after this long at most. */
const FROM_THE_BOTTOM_EVERY_MS = 10 * SECOND;
const WORKER_NAME_CHARACTERS = 12;

/** `jobs`: all that are held, by the event. */
type HeldLine = EndpointKey & { line: EndpointQueue; jobs: Map<string, Job>; timer?: NodeJS.Timeout };

/** Claims deliveries and makes their attempts, endpoint by endpoint; the rules of a line say what may begin. */
export function createWebhookWorker(deps: WebhookWorkerDeps): WebhookWorker {
  const { pool, clock, log } = deps;
  const name = randomText(WORKER_NAME_CHARACTERS);
  const attempts = createDeliveryAttempts(deps);
  const lines = new Map<string, HeldLine>();
  const floor = createScanWatermark(FROM_THE_BOTTOM_EVERY_MS);
  let held = 0;
  let next: EndpointKey = START;
  let full = false;
  let stopping = false;
  let brokenOff = false;

  async function step(): Promise<boolean> {
    let more = false;
    for (let round = next === START ? 'whole' : 'rest'; !stopping; ) {
      full = held >= HELD_MAX;
      if (full) return false;
      if (next === START) floor.begin(clock.now());
      const { found, limit } = await lookOnce();
      if (found >= limit) more = true;
      if (next !== START) continue;
      floor.end();
      // What is due may also lie before where this step began: then once more, from the first endpoint on.
      if (round === 'whole') break;
      round = 'whole';
    }
    return more;
  }

  async function lookOnce(): Promise<{ found: number; limit: number }> {
    const rooms = [...lines.values()].map((entry) => ({ ...entry, room: capacityLeft(entry.line) }));
    const limit = Math.min(CLAIM_MAX, HELD_MAX - held);
    for (const { room, line } of rooms) if (room > 0) line.hasMore = false;
    const times = { floor: floor.at(), now: clock.now() };
    const seen = await claimDeliveries(pool, name, next, { limit, room: LEAST_PACE, rooms }, times);
    next = seen.next;
    floor.passed(seen.earliest);
    for (const claimed of seen.claimed) advance(keep(claimed));
    const found = seen.claimed.reduce((count, { jobs }) => count + jobs.length, seen.stopped);
    return { found, limit };
  }

  function keep({ businessId, endpointId, failing, jobs }: Claimed): HeldLine {
    const key = `${businessId} ${endpointId}`;
    const entry = lines.get(key) ?? {
      businessId,
      endpointId,
      line: newEndpointQueue(failing),
      jobs: new Map(),
    };
    lines.set(key, entry);
    entry.line.hasMore = true;
    for (const job of jobs) {
      const before = entry.jobs.get(job.eventId);
      if (before === undefined) {
        entry.jobs.set(job.eventId, job);
        entry.line.held += 1;
        entry.line.waiting.push(job);
        held += 1;
      } else if (before.attempts === job.attempts) {
        // Its lease ran out while it is held, as when the sandbox's clock was moved, and is now a new one. Unless another
        // worker attempted it meanwhile: then what is under way here counts no more, and the new lease runs out.
        before.lease = job.lease;
        before.leaseEnd = job.leaseEnd;
      }
    }
    return entry;
  }

  /** Begins what may begin. */
  function advance(entry: HeldLine): void {
    const { line } = entry;
    const now = clock.now();
    const notToBegin = stopping ? line.waiting.splice(0) : takeStale(line, now);
    if (notToBegin.length > 0) void giveBack(entry, notToBegin);
    for (let job = takeNext(line, now); job !== null; job = takeNext(line, now)) void attempt(entry, job);
    clearTimeout(entry.timer);
    const wait = untilBehind(line, now);
    if (wait !== null) entry.timer = setTimeout(() => advance(entry), wait);
    if (isWorthAScan(line)) deps.onRoom();
  }

  async function attempt(entry: HeldLine, job: Job): Promise<void> {
    const { line } = entry;
    line.underWay.add(job.about);
    const made = await attempts.make(job).catch((error: unknown) => {
      log.error(
        { ...idsOf(job), error },
        'webhook attempt could not be made; again when its lease has run out',
      );
    });
    if (brokenOff) return;
    line.underWay.delete(job.about);
    if (made) recordResponse(line, made.answer);
    advance(entry);
    if (made) await attempts.record(made);
    // The endpoint takes nothing any more: the next look stops what is given back.
    if (made === null) await giveBack(entry, [job]);
    else letGo(entry, job);
  }

  const endLeases = (jobs: readonly Job[]): Promise<void> =>
    releaseDeliveries(pool, jobs).catch((error: unknown) =>
      log.warn({ error }, 'webhook deliveries could not be given back; their leases run out'),
    );

  async function giveBack(entry: HeldLine, jobs: readonly Job[]): Promise<void> {
    await endLeases(jobs);
    entry.line.hasMore = true;
    for (const job of jobs) letGo(entry, job);
  }

  function letGo(entry: HeldLine, job: Job): void {
    const { line } = entry;
    if (entry.jobs.delete(job.eventId)) held -= 1;
    line.held -= 1;
    if (line.held === 0) lines.delete(`${entry.businessId} ${entry.endpointId}`);
    if (isWorthAScan(line) || (full && held <= HELD_MAX / 2)) deps.onRoom();
    if (held === 0) deps.onEmpty();
  }

  return {
    step,
    held: () => held,
    stop() {
      stopping = true;
      for (const entry of lines.values()) advance(entry);
    },
    breakOff() {
      brokenOff = true;
      const jobs = [...lines.values()].flatMap((entry) => [...entry.jobs.values()]);
      void endLeases(jobs).then(() => {
        for (const entry of lines.values()) entry.jobs.clear();
        held = 0;
      });
    },
  };
}
