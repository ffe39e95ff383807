import { randomUUID } from 'node:crypto';
import { type Dispatcher, request } from 'undici';
import { durationOf, type Span, wallMs } from '../bench/hostPauses.ts';
import { parseJsonText, textAt } from '../src/kit/json.ts';
import { percentile } from '../test/support/statistics.ts';

export interface PushClient {
  baseUrl: string;
  apiKey: string;
  dispatcher?: Dispatcher;
}

/** From the request to the end of the response. */
export interface AnsweredPush extends Span {
  /** 0: no response. */
  status: number;
  retryAfter: string | null;
  messageId: string;
  /** The body, or why there is none. */
  text: string;
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
  const from = wallMs();
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
    const retryAfter = String(answer.headers['retry-after'] ?? '') || null;
    const messageId = textAt(parseJsonText(text), 'id') ?? '';
    return { from, to: wallMs(), status: answer.statusCode, retryAfter, messageId, text };
  } catch (error) {
    return { from, to: wallMs(), status: 0, retryAfter: null, messageId: '', text: String(error) };
  }
}

export const isTaken = ({ status }: AnsweredPush): boolean => status === 201;

export const isRefused = (push: AnsweredPush): boolean => !isTaken(push);

/** Whether it is to be tried again later, as one of these statuses and Retry-After say. */
export const isHeldBack = ({ status, retryAfter }: AnsweredPush, ...statuses: number[]): boolean =>
  statuses.includes(status) && retryAfter !== null;

/** What these pushes were answered, for the examples of a check. */
export const answersOf = (pushes: readonly AnsweredPush[]): string[] =>
  pushes.map((push) => `${push.status} after ${percentileMs([push], 1)} ms: ${push.text.slice(0, 200)}`);

/** Rounded. */
export const percentileMs = (spans: readonly Span[], share: number): number =>
  Math.round(percentile(spans.map(durationOf), share));
