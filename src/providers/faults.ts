import { type Clock, HOUR, later } from '../kit/clock.ts';
import type { Log } from '../kit/log.ts';

export type FaultyChannel = 'email' | 'sms' | 'whatsapp';

/** What whoever runs Waypost has to put right, as far as this process knows. */
export interface Faults {
  /** Said aloud once; said again, it only stays. */
  raise(channel: FaultyChannel, about: string, sentence: string): void;
  /** What was wrong works again. */
  clear(channel: FaultyChannel, about: string): void;
  /** One sentence each, for `/readyz`. */
  sentences(): string[];
  /** How many there are on each channel, for the metrics. */
  count(this: void): Record<FaultyChannel, number>;
}

interface Fault {
  channel: FaultyChannel;
  sentence: string;
  until: Date;
}

/** What nobody mentions again for so long has probably been put right. */
const REMEMBERED_MS = HOUR;
/** One business with many strange senders must not fill the memory. */
const MOST_FAULTS = 200;

export function createFaults({ clock, log }: { clock: Clock; log: Log }): Faults {
  const known = new Map<string, Fault>();
  const current = (): Fault[] => {
    const now = clock.now();
    for (const [key, { until }] of known) if (until <= now) known.delete(key);
    return [...known.values()];
  };
  return {
    raise(channel, about, sentence) {
      const isNews = !current().some((fault) => fault.channel === channel && fault.sentence === sentence);
      const key = `${channel} ${about}`;
      if (known.size >= MOST_FAULTS && !known.has(key)) return;
      known.set(key, { channel, sentence, until: later(clock.now(), REMEMBERED_MS) });
      if (isNews) log.error({ channel }, sentence);
    },
    clear(channel, about) {
      if (known.delete(`${channel} ${about}`))
        log.info({ channel }, 'what was wrong with a provider is put right');
    },
    sentences: () => [...new Set(current().map(({ sentence }) => sentence))],
    count() {
      const faults = current();
      const of = (channel: FaultyChannel) => faults.filter((fault) => fault.channel === channel).length;
      return { email: of('email'), sms: of('sms'), whatsapp: of('whatsapp') };
    },
  };
}
