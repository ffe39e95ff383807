import { randomInt } from 'node:crypto';
import type { UnknownEvent, WaypostEvent } from '../events.ts';
import { signWebhook } from '../sign.ts';
import { Waypost } from '../waypost.ts';
import type { ListenOptions } from './options.ts';

/** As long as the service waits for a receiver. */
const FORWARD_TIMEOUT_MS = 10_000;
const PAGE = 1_000;

/**
 * Follows the feed of events and posts each event to the developer's machine, one after the other, as a webhook would.
 * Prints the secret, and of each event its id, type, status and time: never what is in it. Ends with the signal's reason.
 */
export async function listen(
  options: ListenOptions,
  print: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const { baseUrl, apiKey, types, replayLast, secret = newSecret() } = options;
  const waypost = new Waypost({ baseUrl, apiKey });
  const { recent, cursor } = await lastEvents(waypost, options, signal);
  print(`Forwarding events to ${options.forwardTo}`);
  print(`Verify them with the secret ${secret}`);
  if (replayLast > 0) print(`Replaying the last ${recent.length}.`);
  const forward = async (event: WaypostEvent): Promise<void> => {
    signal.throwIfAborted();
    const began = performance.now();
    const outcome = await post(options, secret, event, signal);
    const took = Math.round(performance.now() - began);
    print(`${clockTime()}  ${typeOf(event).padEnd(24)}  ${event.id}  ${outcome}  ${took} ms`);
  };
  for (const event of recent) await forward(event);
  print('Waiting for events. Ctrl-C stops.');
  for await (const { items } of waypost.events.follow({ after: cursor, types, signal }).pages())
    for (const event of items) await forward(event);
}

/** The last events and the place after them, so that none is missed between them and the next. */
async function lastEvents(
  waypost: Waypost,
  { types, replayLast }: ListenOptions,
  signal: AbortSignal,
): Promise<{ recent: WaypostEvent[]; cursor: string }> {
  if (replayLast === 0) {
    const { next } = await waypost.events.page({ after: 'latest' }, { signal });
    return { recent: [], cursor: next };
  }
  const filter = types === undefined ? {} : { types: types.join(',') };
  let recent: WaypostEvent[] = [];
  let after: string | undefined;
  for (;;) {
    const page = await waypost.events.page({ ...filter, after, limit: PAGE }, { signal });
    recent = [...recent, ...page.items].slice(-replayLast);
    after = page.next;
    if (!page.has_more) return { recent, cursor: after };
  }
}

async function post(
  { forwardTo, headerPrefix }: ListenOptions,
  secret: string,
  event: WaypostEvent,
  signal: AbortSignal,
): Promise<string> {
  // The feed has the body of the webhook, with its fields in the same order.
  const body = JSON.stringify(event.type === 'unknown' ? asSent(event) : event);
  const timeout = AbortSignal.timeout(FORWARD_TIMEOUT_MS);
  try {
    const headers = await signWebhook(body, secret, { headerPrefix });
    const response = await fetch(forwardTo, {
      method: 'POST',
      headers,
      body,
      redirect: 'manual',
      signal: timeout,
    });
    await response.body?.cancel();
    return String(response.status);
  } catch (error) {
    signal.throwIfAborted();
    if (timeout.aborted) return 'timeout';
    const { cause }: { cause?: { code?: unknown } } = Object(error);
    return typeof cause?.code === 'string' ? cause.code : 'no answer';
  }
}

const typeOf = (event: WaypostEvent): string => (event.type === 'unknown' ? event.unknown_type : event.type);

/** An event of a newer type as the service sends it. */
const asSent = ({ data, id, occurred_at, unknown_type }: UnknownEvent) => ({
  data,
  id,
  occurred_at,
  type: unknown_type,
});

const SECRET_CHARACTERS = '0123456789abcdefghijklmnopqrstuvwxyz';
const SECRET_LENGTH = 40;

/** Made like the secrets of the service. */
const newSecret = (): string =>
  `whsec_${Array.from({ length: SECRET_LENGTH }, () => SECRET_CHARACTERS[randomInt(SECRET_CHARACTERS.length)]).join('')}`;

const clockTime = (): string => new Date().toTimeString().slice(0, 8);
