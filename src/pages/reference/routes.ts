import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { PAGE_HEADERS } from '../../api/sendPage.ts';
import type { Site } from '../kit/page.tsx';
import { referencePage } from './page.tsx';

interface ReferenceDeps {
  site: Site;
  /** The OpenAPI document. */
  document: Record<string, unknown>;
}

/** The page is the same until the next start: it is built for the first reader and revalidated on each request. */
export function referenceRoutes({ site, document }: ReferenceDeps) {
  let built: ReturnType<typeof buildPage> | null = null;
  return (app: FastifyInstance): void => {
    app.get('/docs', async (request, reply) => {
      built ??= buildPage(site, document);
      const { page, packed, etag } = built;
      reply
        .headers(PAGE_HEADERS)
        .headers({ 'cache-control': 'no-cache', vary: 'accept-encoding', etag })
        .type('text/html; charset=utf-8');
      if (request.headers['if-none-match'] === etag) return reply.code(304).send();
      if (!/\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))) return reply.send(page);
      return reply.header('content-encoding', 'gzip').send(packed);
    });
  };
}

function buildPage(site: Site, document: Record<string, unknown>) {
  const page = referencePage(site, document);
  const etag = `"${createHash('sha256').update(page).digest('hex').slice(0, 20)}"`;
  return { page, packed: gzipSync(page), etag };
}
