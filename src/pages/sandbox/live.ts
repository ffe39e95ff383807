import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { MINUTE, monotonicMs, SECOND } from '../../kit/clock.ts';
import type { Log } from '../../kit/log.ts';

/** Streams that notify open pages of a change. The page then reloads what changed. */
export interface SandboxLive {
  /** `print` summarises what the page would show now; null when the limit of streams is reached. */
  watch(print: () => Promise<string>, seen: string): Readable | null;
  close(): void;
}

const LOOK_EVERY_MS = SECOND;
/** Sends something before a proxy closes a silent connection. */
const HEARTBEAT_MS = 20 * SECOND;
const LIFETIME_MS = 15 * MINUTE;
const SANDBOX_STREAMS_MAX = 20;

export function openSandboxLive(log: Log): SandboxLive {
  const watching = new Map<Readable, AbortController>();
  return {
    watch(print, seen) {
      if (watching.size >= SANDBOX_STREAMS_MAX) return null;
      const stream = new Readable({ read: () => {} });
      const ending = new AbortController();
      watching.set(stream, ending);
      stream.once('close', () => {
        ending.abort();
        watching.delete(stream);
      });
      stream.push(`retry: ${LOOK_EVERY_MS}\n\n`);
      follow(stream, print, seen, ending.signal)
        .catch((error: unknown) => log.warn({ error }, 'sandbox poll failed'))
        .finally(() => stream.push(null));
      return stream;
    },
    close() {
      for (const ending of watching.values()) ending.abort();
    },
  };
}

async function follow(
  stream: Readable,
  print: () => Promise<string>,
  seen: string,
  signal: AbortSignal,
): Promise<void> {
  const began = monotonicMs();
  let shown = seen;
  let spoke = began;
  while (!signal.aborted && monotonicMs() - began < LIFETIME_MS) {
    const now = await print();
    if (now !== shown) {
      shown = now;
      spoke = monotonicMs();
      // The browser sends the last id when it reconnects, so that no change is missed.
      stream.push(`id: ${now}\nevent: changed\ndata:\n\n`);
    } else if (monotonicMs() - spoke >= HEARTBEAT_MS) {
      spoke = monotonicMs();
      stream.push(':\n\n');
    }
    await delay(LOOK_EVERY_MS, undefined, { signal }).catch(() => {});
  }
}
