import type { FastifyInstance } from 'fastify';
import { arrivalOf } from '../../localCaller.ts';
import { mayEnter, type SandboxAccess } from '../sandbox/guard.ts';
import { assetRoutes, type Site, sendPage } from '../shell/page.tsx';
import { homePage } from './page.tsx';

export interface HomeDeps {
  site: Site;
  access: SandboxAccess;
  /** A key that may be shown to whoever may enter the sandbox, because it opens the demo business alone; null where there is none. */
  apiKeyHint?: () => string | null;
}

/** The page behind the address itself, and what all pages for developers load. */
export function homeRoutes({ site, access, apiKeyHint }: HomeDeps) {
  return (app: FastifyInstance): void => {
    assetRoutes(app, site);
    app.get('/', async (request, reply) => {
      // A page of another name that was made to lead here would read the key along with the rest.
      const mayShow = site.sandbox && mayEnter(arrivalOf(request), access);
      const apiKey = mayShow ? (apiKeyHint?.() ?? null) : null;
      return sendPage(reply.header('cache-control', 'no-store'), 200, homePage({ site, apiKey }));
    });
  };
}
