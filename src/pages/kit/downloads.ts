import type { FastifyRequest } from 'fastify';
import { limitConcurrency } from '../../api/concurrency.ts';
import { noCapacity } from '../../api/readBody.ts';
import { isGone } from '../../api/streams.ts';

/** At once in one process. A file takes as long as its reader does; meanwhile a page of it is held in memory. */
export const DOWNLOADS_PER_SHOP_MAX = 4;
export const DOWNLOADS_MAX = 40;
/** Pages of all files that are read at once: the other connections to the database serve everybody else. */
const PAGES_READ_AT_ONCE = 2;

export type Downloads = ReturnType<typeof createDownloads>;

/** The files that are being downloaded from this process. */
export function createDownloads({
  perShop: perShopMax = DOWNLOADS_PER_SHOP_MAX,
  total: totalMax = DOWNLOADS_MAX,
} = {}) {
  const perShop = new Map<string, number>();
  let total = 0;
  const reads = limitConcurrency(() => PAGES_READ_AT_ONCE);
  const count = (shopId: string, change: 1 | -1): void => {
    const left = (perShop.get(shopId) ?? 0) + change;
    if (left === 0) perShop.delete(shopId);
    else perShop.set(shopId, left);
    total += change;
  };
  return {
    /** Answers with a file, which counts until it is sent or its reader hangs up; or says which limit is reached. */
    async answer<T>(
      shopId: string,
      request: FastifyRequest,
      send: () => Promise<T>,
    ): Promise<T | 'shop_limit' | 'total_limit'> {
      if ((perShop.get(shopId) ?? 0) >= perShopMax) return 'shop_limit';
      if (total >= totalMax) return 'total_limit';
      if (isGone(request)) throw noCapacity();
      count(shopId, 1);
      // Not when the answer settles: it never does if it waits behind another one and the caller goes.
      request.onEnd = () => {
        const { stream } = request;
        if (stream === null || stream.closed) count(shopId, -1);
        // A page may still be read.
        else stream.once('close', () => count(shopId, -1));
      };
      return send();
    },
    read: <Page>(request: FastifyRequest, pages: AsyncIterable<Page>, isAllowed?: () => Promise<boolean>) =>
      readPages(reads, request, pages, isAllowed),
  };
}

/**
 * Reads pages as they are taken, until the reader hangs up. `isAllowed` is asked after each read, so that what is passed
 * on was there while the reader still had access.
 */
async function* readPages<Page>(
  reads: ReturnType<typeof limitConcurrency>,
  request: FastifyRequest,
  pages: AsyncIterable<Page>,
  isAllowed = async () => true,
): AsyncGenerator<Page> {
  const left = pages[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await reads.run('pages', async () => {
        if (isGone(request)) return null;
        const page = await left.next();
        return page.done || (await isAllowed()) ? page : null;
      });
      // The connection breaks off, so that the reader sees that the file is not whole.
      if (next === null) throw new Error('the access to a file ended while it was read');
      if (next.done) return;
      yield next.value;
    }
  } finally {
    await left.return?.();
  }
}
