import type { FastifyInstance } from 'fastify';
import { callerSourceOf } from '../../api/localCaller.ts';
import { sendPage } from '../../api/sendPage.ts';
import { assetRoutes, type Site } from '../kit/page.tsx';
import { mayEnter, type SandboxAccess } from '../sandbox/guard.ts';
import { homePage } from './page.tsx';

interface HomeDeps {
  site: Site;
  access: SandboxAccess;
  /** The demo business's key, which anyone with access to the sandbox can see; null if there is none. */
  apiKeyHint?: () => string | null;
}

/** The home page, and the assets of all developer pages. */
export function homeRoutes({ site, access, apiKeyHint }: HomeDeps) {
  return (app: FastifyInstance): void => {
    assetRoutes(app, site);
    app.get('/', async (request, reply) => {
      // With DNS rebinding, a page of another host could read the key.
      const mayShow = site.sandbox && mayEnter(callerSourceOf(request), access);
      const apiKey = mayShow ? (apiKeyHint?.() ?? null) : null;
      return sendPage(reply.header('cache-control', 'no-store'), 200, homePage({ site, apiKey }));
    });
  };
}
