import type { TraceContext } from '../kit/tracing.ts';
import type { Decision } from './decide.ts';

/** The writes of a group. */
export interface WriteSet {
  /** The items' decisions in order, each with its response. `trace`: undefined where traces are off. */
  decided: {
    decision: Decision;
    answer: ResponseRow & { response: string };
    trace?: TraceContext | undefined;
  }[];
  /** Rows that let an erasure find personal data in a batch's response, since the batch's row names no recipient. */
  forErasure: ResponseRow[];
  /** The response to a whole batch. */
  batchResponse: (ResponseRow & { response: string }) | null;
}

/**
 * A stored response; `key` is unique per business and `scope`. A `batch_item` row is never replayed: it names the recipient
 * of an older response that a batch repeats or, without a recipient, holds the text that replaces an item's detail.
 */
export interface ResponseRow {
  business_id: string;
  scope: 'push' | 'batch' | 'batch_item';
  key: string;
  fingerprint: string;
  status: number;
  response?: string;
  recipient_id: string | undefined;
}
