import type { HttpLimits } from './limits.ts';

/**
 * What a connection is doing. `opening`: no request has come on it yet. `working`: a request is being read or answered, within
 * the times that Node checks. `unread_answer`: the answer is written and the peer does not take it. `draining`: the
 * request is answered and its body still comes. `idle`: between requests. `closing`: our side is ended.
 */
export type Phase = 'opening' | 'working' | 'unread_answer' | 'draining' | 'idle' | 'closing';

export interface ConnectionFacts {
  phase: Phase;
  since: number;
  /** What had been read from it when the phase began. */
  bytesBefore: number;
  closing: boolean;
  /** The latest request, and the answer to it. */
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

/** Whether a connection has been in its phase for too long. */
export function isOverdue(
  limits: HttpLimits,
  { phase, forMs, bytes }: { phase: Phase; forMs: number; bytes: number },
): boolean {
  switch (phase) {
    case 'working':
      return false;
    // Node has its own times for a head and for keep-alive, which single bytes between requests start anew.
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

/** Whether nothing is lost with the connection but a peer's patience. */
export const isSpare = (phase: Phase): boolean => {
  switch (phase) {
    case 'opening':
    case 'draining':
    case 'idle':
    case 'closing':
      return true;
    case 'working':
    case 'unread_answer':
      return false;
  }
};
