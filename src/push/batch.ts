import type { ApiError, Fault } from '../kit/errors.ts';
import type { ErasedDetail, PushOutcome } from './outcomes.ts';
import type { PushItem } from './request.ts';

/** One item of a batch: a push to be accepted, or one that was refused before it was tried. */
export type BatchItem =
  | { kind: 'push'; push: PushItem }
  | { kind: 'invalid'; error: ApiError; erasedDetail: ErasedDetail | null };

/**
 * The answer to a batch. Results are spliced in as the bytes that were stored for each item, so that an item's
 * result is identical to the response of a single push, now and in every replay.
 */
export function batchBody(items: BatchItem[], outcomes: PushOutcome[]): string {
  let next = 0;
  let succeeded = 0;
  const parts = items.map((item, index) => {
    const outcome: PushOutcome | undefined =
      item.kind === 'invalid' ? { kind: 'error', error: item.error } : outcomes[next++];
    if (outcome?.kind === 'answer') {
      succeeded += 1;
      return `{"index":${index},"ok":true,"result":${outcome.answer.body},"error_code":null,"detail":null}`;
    }
    if (outcome?.kind !== 'error') throw new Error('an item of a batch has no outcome');
    const { code, detail } = outcome.error;
    return JSON.stringify({ index, ok: false, result: null, error_code: code, detail: inWords(detail) });
  });
  return `{"items":[${parts.join(',')}],"succeeded":${succeeded},"failed":${items.length - succeeded}}`;
}

/** An item's faults as one sentence that names each field. */
const inWords = (detail: string | Fault[]): string =>
  typeof detail === 'string'
    ? detail
    : detail.map(({ loc, msg }) => `${loc.slice(1).join('.') || 'item'}: ${msg}`).join('; ');
