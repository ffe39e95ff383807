import { failureWord, type Tracing } from '../kit/tracing.ts';
import type { PushItem } from './request.ts';

/**
 * Runs the commit of a group under a span. One commit serves many pushes, so its span is a trace of its own: it is linked to their
 * requests, and their requests to it.
 */
export async function traceCommit<T>(
  tracing: Tracing | null | undefined,
  items: readonly Pick<PushItem, 'span'>[],
  commit: () => Promise<T>,
): Promise<T> {
  if (!tracing) return commit();
  // The items of a batch share the span of its request.
  const requests = [...new Set(items.flatMap(({ span }) => span ?? []))];
  const span = tracing.start('commit pushes', {
    links: requests.map(({ context }) => context),
    attributes: { 'waypost.pushes': items.length },
  });
  for (const request of requests) request.link(span.context);
  try {
    const result = await commit();
    span.end();
    return result;
  } catch (error) {
    span.end({}, failureWord(error));
    throw error;
  }
}
