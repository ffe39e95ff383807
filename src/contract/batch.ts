import { BATCH_MAX } from '../config/limits.ts';
import { PushBody, PushResult } from './push.ts';
import { Anything, Bool, Component, Int, List, Nullable, Shape, Text } from './schema.ts';

const size = { min: 1, max: BATCH_MAX } as const;

/** Each item is validated on its own, so that a bad one fails alone. */
export const BatchBody = Shape({ items: List(Anything(), size) });

/** For the OpenAPI document, which describes the items. */
export const DescribedBatch = Component('Batch', { items: List(PushBody, size) });

const BatchItemResult = Component('BatchItemResult', {
  index: Int('Position in the request.'),
  ok: Bool(),
  result: Nullable(PushResult),
  error_code: Nullable(Text()),
  detail: Nullable(Text()),
});

export const BatchResult = Component('BatchResult', {
  items: List(BatchItemResult),
  succeeded: Int(),
  failed: Int(),
});
