import type { Channel } from '../contract/channels.ts';
import { type Clock, HOUR, later } from '../kit/clock.ts';
import type { Log } from '../kit/log.ts';

/** The faults of providers that this process has seen and the operator has to fix. */
export type Faults = ReturnType<typeof createFaults>;

interface Fault {
  channel: Channel;
  sentence: string;
  until: Date;
}

/** A fault that is not raised again for this long is probably fixed. */
const KEPT_MS = HOUR;
/** Bounds the memory, if one business has many bad senders. */
const FAULTS_MAX = 200;

export function createFaults({ clock, log }: { clock: Clock; log: Log }) {
  const raised = new Map<string, Fault>();
  const current = (): Fault[] => {
    const now = clock.now();
    for (const [key, { until }] of raised) if (until <= now) raised.delete(key);
    return [...raised.values()];
  };
  return {
    /** Logged the first time; a repetition only extends it. */
    raise(channel: Channel, about: string, sentence: string): void {
      const isNew = !current().some((fault) => fault.channel === channel && fault.sentence === sentence);
      const key = `${channel} ${about}`;
      if (raised.size >= FAULTS_MAX && !raised.has(key)) return;
      raised.set(key, { channel, sentence, until: later(clock.now(), KEPT_MS) });
      if (isNew) log.error({ channel }, sentence);
    },
    /** The fault is gone. */
    clear(channel: Channel, about: string): void {
      if (raised.delete(`${channel} ${about}`)) log.info({ channel }, 'provider fault cleared');
    },
    /** One sentence each, for `/readyz`. */
    sentences: (): string[] => [...new Set(current().map(({ sentence }) => sentence))],
    /** The number per channel, for the metrics. */
    count(this: void): Record<Channel, number> {
      const faults = current();
      const of = (channel: Channel) => faults.filter((fault) => fault.channel === channel).length;
      return { email: of('email'), sms: of('sms'), whatsapp: of('whatsapp') };
    },
  };
}
