import type { Dispatcher } from 'undici';
import { SECOND } from '../kit/clock.ts';
import { failureSentence } from '../webhooks/failureSentence.ts';
import { answerTimeout } from '../webhooks/failures.ts';

export interface CallOut {
  method: 'GET' | 'POST';
  url: string;
  headers: Record<string, string>;
  body?: string;
}

/** `failed`: no answer, and why in the words of webhooks/failures.ts. */
export type CalledOut =
  | { kind: 'answered'; status: number; text: string }
  | { kind: 'failed'; error: string }
  | { kind: 'aborted' };

interface CallOutLimits {
  /** Ends the call early. */
  signal: AbortSignal;
  /** For DNS, connection, request and the whole answer together. */
  timeoutMs?: number;
}

export const CALL_OUT_MS = 10 * SECOND;
/** More of an answer is not read. */
const ANSWER_MAX_BYTES = 64 * 1024;

/** One call to a service: it retries nothing, follows no redirect, and never throws. */
export async function callOut(
  client: Dispatcher,
  { url, ...request }: CallOut,
  { signal, timeoutMs = CALL_OUT_MS }: CallOutLimits,
): Promise<CalledOut> {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const { origin, pathname, search } = new URL(url);
    const answer = await client.request({
      ...request,
      origin,
      path: pathname + search,
      signal: AbortSignal.any([signal, timeout]),
    });
    return { kind: 'answered', status: answer.statusCode, text: await startOf(answer.body) };
  } catch (error) {
    if (signal.aborted) return { kind: 'aborted' };
    return {
      kind: 'failed',
      error: timeout.aborted ? answerTimeout(timeoutMs / SECOND) : failureSentence(error),
    };
  }
}

/** An answer that breaks off has still answered: its status counts. */
async function startOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > ANSWER_MAX_BYTES) break;
    }
  } catch {
    return '';
  }
  return bytes > ANSWER_MAX_BYTES ? '' : Buffer.concat(chunks).toString('utf8');
}
