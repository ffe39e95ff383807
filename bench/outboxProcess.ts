import { setTimeout as sleep } from 'node:timers/promises';
import { openPool } from '../src/db/pool.ts';
import { SECOND } from '../src/kit/clock.ts';
import { createLog } from '../src/kit/log.ts';
import { createSealer } from '../src/kit/seal.ts';
import { type Outbox, startOutbox } from '../src/outbox/outbox.ts';
import type { AnyOutbound, Provider } from '../src/providers/provider.ts';
import { instantSend } from './instantProvider.ts';
import { after, timeOf } from './measure.ts';
import { openPushDeps, type PushDeps } from './pushInProcess.ts';

/** The limits of a worker process and of the sandbox's provider. */
const CONNECTIONS = 12;
const MAX_CONCURRENT = 400;
const POLL_MS = 5;

/** How many sends went out, and in how many seconds. */
export interface Sent {
  sent: number;
  seconds: number;
}

/** The outbox as the program runs it, with a provider that accepts everything at once. */
export function startInstantOutbox(deps: PushDeps, onSend: (message: AnyOutbound) => void): Outbox {
  const send = instantSend(onSend);
  const provider = <Message extends AnyOutbound>(): Provider<Message> => ({
    name: 'instant',
    maxConcurrent: MAX_CONCURRENT,
    timeoutMs: 10 * SECOND,
    send,
  });
  return startOutbox({
    ...deps,
    sealer: createSealer(['a secret key for benchmarks']),
    log: createLog('warn'),
    publicUrl: 'http://localhost',
    providers: { email: provider(), sms: provider(), whatsapp: provider() },
    unsubscribeLink: () => 'http://localhost/unsubscribe',
    replyLink: () => 'http://localhost/reply',
    onEvents: () => {},
  });
}

export default async function openOutbox({ url }: { url: string }) {
  const pool = openPool(url, { max: CONNECTIONS, name: 'bench outbox', onError: () => {} });
  let calls = 0;
  const outbox = startInstantOutbox(await openPushDeps(pool), () => {
    calls += 1;
  });
  const sentDuring = async (work: () => Promise<unknown>): Promise<Sent> => {
    const before = calls;
    const seconds = (await timeOf(work)) / SECOND;
    return { sent: calls - before, seconds };
  };
  return {
    /** Runs until nothing is due. */
    drain: () => sentDuring(() => outbox.drain()),
    /** Runs for `seconds`, or until `most` sends are out. */
    work: ({ seconds, most }: { seconds: number; most: number }) =>
      sentDuring(async () => {
        const [isOver, last] = [after(seconds), calls + most];
        while (!isOver() && calls < last) await sleep(POLL_MS);
      }),
  };
}
