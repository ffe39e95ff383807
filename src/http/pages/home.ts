import type { FastifyInstance } from 'fastify';
import { homePage } from './homePage.tsx';
import { isOurHost } from './sandboxGuard.ts';
import { assetRoutes, type Site, sendPage } from './shell.tsx';

export interface HomeDeps {
  site: Site;
  /** A key that may be shown to whoever looks, because it opens the demo business alone; null where there is none. */
  apiKeyHint?: () => string | null;
}

/** The page behind the address itself, and what all pages for developers load. */
export function homeRoutes({ site, apiKeyHint }: HomeDeps) {
  return (app: FastifyInstance): void => {
    assetRoutes(app, site);
    app.get('/', async (request, reply) => {
      // A page of another name that was made to lead here would read the key along with the rest.
      const mayShow = site.sandbox && isOurHost(request.headers.host, site.publicUrl);
      const apiKey = mayShow ? (apiKeyHint?.() ?? null) : null;
      return sendPage(reply.header('cache-control', 'no-store'), 200, homePage({ site, apiKey }));
    });
  };
}
