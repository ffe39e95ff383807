import type { Decision } from './decide.ts';

/** All that a list has to write. */
export interface WriteSet {
  /** What its items decided, in their order, each with its answer. */
  decided: { decision: Decision; answer: ResponseRow & { response: string } }[];
  /** What the answer to a batch holds of people whom its own row does not name. */
  forErasure: ResponseRow[];
  /** The answer to all of a batch. */
  batchResponse: (ResponseRow & { response: string }) | null;
}

/**
 * A stored answer; `key` is remembered within `scope` for the business. A `batch_item` answers nobody: it says whom the
 * answer to a batch repeats an older answer about or, where it names nobody, what stands for an item's detail after an erasure.
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
