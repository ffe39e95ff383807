import type { Dispatcher } from 'undici';
import { SECOND } from '../kit/clock.ts';
import { failureSentence } from '../webhooks/failureSentence.ts';
import { answerTimeout } from '../webhooks/failures.ts';

/** Of a store's or a tracking service's own API. */
export interface CallOut {
  method: 'GET' | 'POST';
  url: string;
  headers?: Record<string, string>;
  body?: string;
}

/** `failed`: no answer, and why in the words of webhooks/failures.ts. */
export type CalledOut =
  | {
      kind: 'answered';
      status: number;
      headers: Record<string, string | string[] | undefined>;
      /** Null: it is larger than `maxBytes`. */
      text: string | null;
    }
  | { kind: 'failed'; error: string }
  | { kind: 'aborted' };

interface CallOutLimits {
  /** Ends the call early. */
  signal?: AbortSignal;
  /** For DNS, connection, TLS, request and the whole answer together. */
  timeoutMs: number;
  maxBytes: number;
}

const HEADERS = { accept: 'application/json', 'user-agent': 'Waypost-Connections/1' };

/** One call: it retries nothing, follows no redirect, and never throws. */
export async function callOut(
  client: Dispatcher,
  { url, headers, ...request }: CallOut,
  { signal, timeoutMs, maxBytes }: CallOutLimits,
): Promise<CalledOut> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), timeoutMs);
  try {
    const { origin, pathname, search } = new URL(url);
    const answer = await client.request({
      ...request,
      origin,
      path: pathname + search,
      headers: { ...HEADERS, ...headers },
      signal: signal ? AbortSignal.any([signal, late.signal]) : late.signal,
    });
    const text = await textOf(answer.body, maxBytes);
    return { kind: 'answered', status: answer.statusCode, headers: answer.headers, text };
  } catch (error) {
    if (signal?.aborted) return { kind: 'aborted' };
    return {
      kind: 'failed',
      error: late.signal.aborted ? answerTimeout(timeoutMs / SECOND) : failureSentence(error),
    };
  } finally {
    clearTimeout(timer);
  }
}

async function textOf(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    // Leaving the loop closes the connection.
    if (bytes > maxBytes) return null;
    chunks.push(chunk);
  }
  // Removes the mark that some plugins of stores put before every answer.
  return new TextDecoder().decode(Buffer.concat(chunks));
}
