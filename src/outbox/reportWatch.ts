import type { Channel } from '../contract/channels.ts';
import type { Pool } from '../db/pool.ts';
import { type Clock, MINUTE } from '../kit/clock.ts';
import type { Log } from '../kit/log.ts';
import { type Loop, startLoop } from '../kit/loop.ts';
import { REPORTS_MIN, type Traffic } from '../providers/traffic.ts';
import type { EndedAttempt } from './record.ts';
import { keyArrays, type SendKey } from './send.ts';
import { readReported } from './sql.ts';

/** A message that was accepted this long ago should have been reported about. */
const REPORT_WITHIN_MS = 15 * MINUTE;
const LOOK_EVERY_MS = MINUTE;
/** A sample is enough, and bounds the memory: of each provider and minute. */
const SAMPLE_MAX = 50;

interface Accepted extends SendKey {
  at: Date;
}

interface ReportWatchDeps {
  pool: Pool;
  clock: Clock;
  log: Log;
  /** The channels with several providers. */
  divided: readonly { channel: Channel; traffic: Traffic }[];
}

/**
 * Looks at a sample of what each provider accepted a while ago: where too little of it was reported, messages go to another provider.
 * A process watches what it sent itself.
 */
export class ReportWatch {
  readonly #deps: ReportWatchDeps;
  readonly #loop: Loop | null;
  /** By channel and provider. */
  readonly #accepted = new Map<string, Accepted[]>();

  constructor(deps: ReportWatchDeps) {
    this.#deps = deps;
    const { clock, log, divided } = deps;
    this.#loop =
      divided.length === 0
        ? null
        : startLoop({
            name: 'report watch',
            clock,
            log,
            step: () => this.look(),
            busy: () => 0,
            nextDue: async () => null,
            settled: async () => true,
            pollMs: LOOK_EVERY_MS,
          });
  }

  note({ send, provider, answer, endedAt: at }: EndedAttempt): void {
    if (this.#loop === null || answer.outcome !== 'accepted') return;
    const key = keyOf(send.channel, provider);
    const accepted = this.#accepted.get(key) ?? [];
    this.#accepted.set(key, accepted);
    const before = accepted.at(-SAMPLE_MAX);
    if (before !== undefined && at.getTime() - before.at.getTime() < LOOK_EVERY_MS) return;
    accepted.push({ business_id: send.business_id, id: send.id, at });
  }

  async look(): Promise<boolean> {
    const { pool, clock, divided } = this.#deps;
    const until = clock.now().getTime() - REPORT_WITHIN_MS;
    for (const { channel, traffic } of divided)
      for (const provider of Object.keys(traffic.shares())) {
        const accepted = this.#accepted.get(keyOf(channel, provider)) ?? [];
        const due = accepted.filter(({ at }) => at.getTime() <= until);
        // Those of a quiet shop are kept until there are enough to say something.
        if (due.length < REPORTS_MIN) continue;
        this.#accepted.set(keyOf(channel, provider), accepted.slice(due.length));
        const sends = await readReported(pool, ...keyArrays(due));
        traffic.reported(provider, sends.length, sends.filter((one) => !one.is_reported).length);
      }
    return false;
  }

  stop = async (): Promise<void> => this.#loop?.stop();
}

const keyOf = (channel: Channel, provider: string): string => `${channel} ${provider}`;
