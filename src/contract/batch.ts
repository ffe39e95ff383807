import { BATCH_MAX } from '../config/limits.ts';
import { PushBody, PushResult } from './push.ts';
import { Anything, Bool, Int, List, Nullable, Shape, Text } from './schema.ts';

const size = { min: 1, max: BATCH_MAX } as const;

/** Each item is validated on its own, so that a bad one fails alone. */
export const BatchBody = Shape({ items: List(Anything(), size) });

/** For the OpenAPI document, which describes the items. */
export const DescribedBatch = Shape({ items: List(PushBody, size) }, { title: 'Batch' });

const BatchItemResult = Shape(
  {
    index: Int({ description: 'Position in the request.' }),
    ok: Bool(),
    result: Nullable(PushResult),
    error_code: Nullable(Text()),
    detail: Nullable(Text()),
  },
  { title: 'BatchItemResult' },
);

export const BatchResult = Shape(
  { items: List(BatchItemResult), succeeded: Int(), failed: Int() },
  { title: 'BatchResult' },
);
