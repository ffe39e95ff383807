import type { TraceContext } from '../kit/tracing.ts';
import type { Decision } from './decide.ts';
import type { ResponseRow } from './outcomes.ts';

/** The writes of a group. */
export interface WriteSet {
  /** The items' decisions in order, each with its response. `by`: who pushed; `trace`: undefined where traces are off. */
  decided: { decision: Decision; answer: ResponseRow; by: string | null; trace?: TraceContext | undefined }[];
  /** The record of a batch, and those of its items that store no response of their own. */
  batchRecords: ResponseRow[];
}
