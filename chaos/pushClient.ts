import { randomUUID } from 'node:crypto';
import { type Dispatcher, request } from 'undici';
import { monotonicMs, systemClock } from '../src/kit/clock.ts';
import { parseJsonText, textAt } from '../src/kit/json.ts';
import { percentile } from '../test/support/statistics.ts';

export interface PushClient {
  baseUrl: string;
  apiKey: string;
  dispatcher?: Dispatcher;
}

export interface AnsweredPush {
  /** 0: no response. */
  status: number;
  retryAfter: string | null;
  messageId: string;
  /** The body, or why there is none. */
  text: string;
  ms: number;
  /** The wall-clock time of the request. */
  at: number;
}

const TIMEOUT_MS = 60_000;

/** One push with a new key, without retries. */
export function pushTo(client: PushClient, subject: string, body: string): Promise<AnsweredPush> {
  const recipient_email = `${subject.replaceAll(' ', '')}@example.com`;
  return postMessages(client, '', randomUUID(), { recipient_email, subject, body });
}

/** `path` is below that of a push. */
export async function postMessages(
  { baseUrl, apiKey, dispatcher }: PushClient,
  path: string,
  key: string,
  body: unknown,
  timeoutMs = TIMEOUT_MS,
): Promise<AnsweredPush> {
  const began = monotonicMs();
  const call = { retryAfter: null, messageId: '', at: systemClock.now().getTime() };
  try {
    const answer = await request(`${baseUrl}/api/v1/messages${path}`, {
      ...(dispatcher && { dispatcher }),
      method: 'POST',
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      headers: {
        authorization: `Bearer ${apiKey}`,
        'content-type': 'application/json',
        'idempotency-key': key,
      },
      body: JSON.stringify(body),
    });
    const text = await answer.body.text();
    return {
      ...call,
      status: answer.statusCode,
      retryAfter: String(answer.headers['retry-after'] ?? '') || null,
      messageId: textAt(parseJsonText(text), 'id') ?? '',
      text,
      ms: monotonicMs() - began,
    };
  } catch (error) {
    return { ...call, status: 0, text: String(error), ms: monotonicMs() - began };
  }
}

export const isTaken = ({ status }: AnsweredPush): boolean => status === 201;

/** What these pushes were answered, for the examples of a check. */
export const answersOf = (pushes: readonly AnsweredPush[]): string[] =>
  pushes.map(({ status, text, ms }) => `${status} after ${Math.round(ms)} ms: ${text.slice(0, 200)}`);

/** Rounded. */
export function percentileMs(pushes: readonly { ms: number }[], share: number): number {
  const times = pushes.map(({ ms }) => ms);
  return Math.round(percentile(times, share));
}
