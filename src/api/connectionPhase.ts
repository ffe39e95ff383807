import type { HttpLimits } from './limits.ts';

/**
 * What a connection is doing. `opening`: no request yet. `working`: a request is being read or answered, within
 * Node's own timeouts. `unread_answer`: the response is written and the peer does not read it. `draining`: the
 * response is sent and the request's body still arrives. `idle`: between requests. `closing`: our side has ended.
 */
export type Phase = 'opening' | 'working' | 'unread_answer' | 'draining' | 'idle' | 'closing';

export interface ConnectionFacts {
  phase: Phase;
  since: number;
  /** The bytes read before the phase began. */
  bytesBefore: number;
  closing: boolean;
  /** The latest request and its response. */
  request: { readonly complete: boolean } | null;
  response: {
    readonly headersSent: boolean;
    readonly writableEnded: boolean;
    readonly writableFinished: boolean;
  } | null;
}

export function phaseOf({ closing, request, response }: ConnectionFacts): Phase {
  if (closing) return 'closing';
  if (request === null || response === null) return 'opening';
  if (!response.writableEnded) return 'working';
  if (!response.writableFinished) return 'unread_answer';
  return request.complete ? 'idle' : 'draining';
}

export function isOverdue(
  limits: HttpLimits,
  { phase, forMs, bytes }: { phase: Phase; forMs: number; bytes: number },
): boolean {
  switch (phase) {
    case 'working':
      return false;
    // Node has its own timeouts for headers and keep-alive, but single bytes between requests reset them.
    case 'opening':
      return forMs > limits.headMs + limits.lingerMs;
    case 'idle':
      return forMs > limits.keepAliveMs + limits.headMs;
    case 'unread_answer':
      return forMs > limits.unreadAnswerMs;
    case 'draining':
      return forMs > limits.drainMs || bytes > limits.drainBytes;
    case 'closing':
      return forMs > limits.lingerMs;
  }
}

/** Whether the connection can be closed without losing a request or a response. */
export const isSpare = (phase: Phase): boolean => phase !== 'working' && phase !== 'unread_answer';
