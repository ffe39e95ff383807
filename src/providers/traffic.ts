import { type Clock, MINUTE } from '../kit/clock.ts';
import { mayPass, type ProviderAnswer } from './provider.ts';

/*
 * How the messages of a channel are divided among its providers. Each is asked first for a share of them:
 *
 *   at home      the first provider of the order has all of them
 *   in trouble   too many of its calls of the last minute failed, or too few of its messages were reported: STEP moves to the next
 *                provider that is well, at most once a minute
 *   well again   DRIFT comes back each minute, so that a provider that is still in trouble is noticed by few messages
 *
 * Each process divides by what it sees itself. A single failure needs no rule: a message goes on to the next provider at once.
 */

const EVERY_MS = MINUTE;
const ALL = 100;
const STEP = 20;
const DRIFT = 5;
/** Fewer calls in a minute say nothing. */
const CALLS_MIN = 10;
const FAILED_MAX = 0.3;
/** The same for the messages whose reports are due. */
export const REPORTS_MIN = 10;
const UNREPORTED_MAX = 0.3;

interface Share {
  name: string;
  points: number;
  calls: number;
  failed: number;
  /** A provider whose reports never came is not set up to report, which is no trouble. */
  hasReported: boolean;
  isReportingSlowly: boolean;
}

export class Traffic {
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #shares: readonly Share[];
  #judgedAt: Date;

  constructor(names: readonly string[], { clock, random }: { clock: Clock; random: () => number }) {
    this.#clock = clock;
    this.#random = random;
    this.#judgedAt = clock.now();
    this.#shares = names.map((name, place) => ({
      name,
      points: homeOf(place),
      calls: 0,
      failed: 0,
      hasReported: false,
      isReportingSlowly: false,
    }));
  }

  /** Who is asked first now. */
  first(): string | null {
    this.#judge();
    let point = this.#random() * ALL;
    for (const { name, points } of this.#shares) {
      if (point < points) return name;
      point -= points;
    }
    return this.#shares[0]?.name ?? null;
  }

  called(name: string, answer: ProviderAnswer): void {
    const share = this.#shares.find((one) => one.name === name);
    if (share === undefined || answer.outcome === 'not_set_up') return;
    share.calls += 1;
    if (isFailure(answer)) share.failed += 1;
    this.#judge();
  }

  /** Of messages that a provider accepted long ago: how many, and how many of them it has not reported about. */
  reported(name: string, accepted: number, unreported: number): void {
    const share = this.#shares.find((one) => one.name === name);
    if (share === undefined || accepted < REPORTS_MIN) return;
    const isSlow = unreported / accepted > UNREPORTED_MAX;
    if (!isSlow) share.hasReported = true;
    share.isReportingSlowly = isSlow && share.hasReported;
    this.#judge();
  }

  /** Points of a hundred, by provider. */
  shares(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#shares.map(({ name, points }) => [name, points]));
  }

  #judge(): void {
    const now = this.#clock.now();
    if (now.getTime() - this.#judgedAt.getTime() < EVERY_MS) return;
    this.#judgedAt = now;
    const troubled = this.#shares.filter(isInTrouble);
    const well = this.#shares.filter((share) => !troubled.includes(share));
    const [refuge] = well;
    for (const share of troubled) if (refuge) move(share, refuge, STEP);
    for (const [place, share] of this.#shares.entries())
      if (well.includes(share)) this.#driftHome(share, homeOf(place));
    for (const share of this.#shares) Object.assign(share, { calls: 0, failed: 0, isReportingSlowly: false });
  }

  /** What was moved away from the first provider comes back to it; the others give it. */
  #driftHome(share: Share, home: number): void {
    if (share.points >= home) return;
    const [giver] = this.#shares.filter((one) => one !== share).sort((a, b) => b.points - a.points);
    if (giver) move(giver, share, Math.min(DRIFT, home - share.points));
  }
}

const homeOf = (place: number): number => (place === 0 ? ALL : 0);

const isInTrouble = ({ calls, failed, isReportingSlowly }: Share): boolean =>
  isReportingSlowly || (calls >= CALLS_MIN && failed / calls > FAILED_MAX);

function move(from: Share, to: Share, points: number): void {
  const moved = Math.min(from.points, points);
  from.points -= moved;
  to.points += moved;
}

/** A refusal of the message itself is no fault of the provider. */
const isFailure = (answer: ProviderAnswer): boolean =>
  answer.outcome === 'unknown' ||
  answer.outcome === 'not_taken' ||
  (answer.outcome === 'refused' && mayPass(answer.because));
