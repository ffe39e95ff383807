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
  text: string;
  ms: number;
  /** The wall-clock time of the request. */
  at: number;
}

const TIMEOUT_MS = 60_000;

/** One push with a new key, without retries. */
export async function pushTo(client: PushClient, subject: string, body: string): Promise<AnsweredPush> {
  const { baseUrl, apiKey, dispatcher } = client;
  const began = monotonicMs();
  const at = systemClock.now().getTime();
  try {
    const answer = await request(`${baseUrl}/api/v1/messages`, {
      ...(dispatcher && { dispatcher }),
      method: 'POST',
      headersTimeout: TIMEOUT_MS,
      bodyTimeout: TIMEOUT_MS,
      headers: {
        authorization: `Bearer ${apiKey}`,
        'content-type': 'application/json',
        'idempotency-key': randomUUID(),
      },
      body: JSON.stringify({ recipient_email: `${subject.replaceAll(' ', '')}@example.com`, subject, body }),
    });
    const text = await answer.body.text();
    return {
      status: answer.statusCode,
      retryAfter: String(answer.headers['retry-after'] ?? '') || null,
      messageId: textAt(parseJsonText(text), 'id') ?? '',
      text: `${answer.statusCode} ${text.slice(0, 200)}`,
      ms: monotonicMs() - began,
      at,
    };
  } catch (error) {
    return { status: 0, retryAfter: null, messageId: '', text: String(error), ms: monotonicMs() - began, at };
  }
}

/** Rounded. */
export const percentileMs = (milliseconds: readonly number[], share: number): number =>
  Math.round(percentile(milliseconds, share));
