import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { arrive, type Link, linkOf, recordFetched } from '../../../inbox/links.ts';
import { sessionCookie } from '../../../inbox/session.ts';
import {
  askedBy,
  fieldOf,
  fromOurPages,
  type InboxContext,
  RETRY_AFTER_SECONDS,
  sendPage,
} from './context.ts';
import { arrivalPage } from './views/arrival.tsx';
import { deadLinkPage } from './views/notices.tsx';

/**
 * The way in. A GET (and a HEAD) signs nobody in and opens nothing, since scanners fetch links and run scripts; what
 * does is the POST that the page sends once it is really being looked at.
 */
export function arrivalRoutes(app: FastifyInstance, context: InboxContext): void {
  const { pool, clock, site, cookies, onEvents } = context;

  app.get('/i/:token', async (request, reply) => {
    const found = await liveLink(context, request, reply);
    if (found === null) return reply;
    await recordFetched(pool, found.link, clock.now());
    const { link, token } = found;
    const brand = { name: link.businessName, colour: link.colour };
    return sendPage(reply, 200, arrivalPage(site, brand, { token, news: link.messageId !== null }));
  });

  app.post(
    '/i/:token',
    fromOurPages(context, async (request, reply) => {
      const found = await liveLink(context, request, reply);
      if (found === null) return reply;
      const arrival = await arrive(pool, found.link, clock.now());
      if (arrival === null) return sendPage(reply, 404, deadLinkPage(site, found.token));
      if (arrival.deliveries > 0) onEvents();
      const { sessionToken, messageId } = arrival;
      return reply
        .header('set-cookie', sessionCookie(sessionToken, cookies))
        .redirect(site.paths.inbox(messageId === null ? {} : { open: messageId }), 303);
    }),
  );
}

/**
 * The link that was asked for, if it leads anywhere; otherwise answers the page that all dead links share. Only dead
 * links are counted, so that wrong ones never keep a right one out, and expired ones like unknown ones, so that the
 * answer does not tell them apart. A person who shares the source of many still finds the way to a new link on that page.
 */
async function liveLink(
  context: InboxContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<{ link: Link; token: string } | null> {
  const { pool, clock, site, guesses } = context;
  const token = fieldOf(request.params, 'token') ?? '';
  const link = await linkOf(pool, token, clock.now());
  if (link !== null && !link.expired) return { link, token };
  const source = askedBy(context, request);
  const page = deadLinkPage(site, token);
  if (guesses.isSpent(source)) {
    sendPage(reply.header('retry-after', RETRY_AFTER_SECONDS), 429, page);
  } else {
    guesses.spend(source);
    sendPage(reply, 404, page);
  }
  return null;
}
