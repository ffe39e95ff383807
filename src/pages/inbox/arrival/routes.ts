import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sendHtml } from '../../kit/page.tsx';
import { formOf, paramOf } from '../../kit/request.ts';
import {
  askedBy,
  fromOurPages,
  type InboxContext,
  RETRY_AFTER_SECONDS,
  siteForVisitor,
  siteIn,
} from '../context.ts';
import { arrivalPage, deadLinkPage, newLinkPage, sentencePage } from '../notices.tsx';
import { sessionCookie, sessionOf } from '../session.ts';
import { linkOf, mailNewLink, recordFetched, signInByLink } from './links.ts';

/**
 * Signing in by link. A GET (or HEAD) signs nobody in and opens nothing, because scanners fetch links and run
 * scripts; the page sends a POST once a person really views it.
 */
export function arrivalRoutes(app: FastifyInstance, context: InboxContext): void {
  const { pool, clock, place, cookies, onEvents } = context;
  newLinkRoutes(app, context);

  app.get('/i/:token', async (request, reply) => {
    const found = await liveLink(context, request, reply);
    if (found === null) return reply;
    await recordFetched(pool, found.link, clock.now());
    const { link, token } = found;
    const page = arrivalPage(siteIn(context, link.language), link, token, link.messageId !== null);
    return sendHtml(reply, 200, page);
  });

  app.post(
    '/i/:token',
    fromOurPages(context, async (request, reply) => {
      const found = await liveLink(context, request, reply);
      if (found === null) return reply;
      const arrival = await signInByLink(pool, found.link, clock.now());
      if (arrival === null)
        return sendHtml(reply, 404, deadLinkPage(siteForVisitor(context, request), found.token));
      if (arrival.deliveries > 0) onEvents();
      const { sessionToken, messageId } = arrival;
      return reply
        .header('set-cookie', sessionCookie(sessionToken, cookies))
        .redirect(place.paths.inbox(messageId === null ? {} : { open: messageId }), 303);
    }),
  );
}

/**
 * The requested link if it is valid; otherwise sends the one page for all dead links. Only dead links are
 * counted, so that wrong ones never block a valid one, and expired ones count like unknown ones, so that the
 * response does not distinguish them. A person who shares an address with many others can still request a new
 * link there.
 */
async function liveLink(context: InboxContext, request: FastifyRequest, reply: FastifyReply) {
  const { pool, clock, guesses } = context;
  const token = paramOf(request, 'token');
  const link = await linkOf(pool, token, clock.now());
  if (link !== null && !link.expired) return { link, token };
  const source = askedBy(context, request);
  const page = deadLinkPage(siteForVisitor(context, request), token);
  if (guesses.isSpent(source)) {
    sendHtml(reply.header('retry-after', RETRY_AFTER_SECONDS), 429, page);
  } else {
    guesses.spend(source);
    sendHtml(reply, 404, page);
  }
  return null;
}

/** The response takes at least this long, so that its timing does not reveal which addresses exist. */
const ANSWER_MS = 250;

/** "Send me a new link": the same response for everyone, whether or not the link or the address exists. */
function newLinkRoutes(app: FastifyInstance, context: InboxContext): void {
  const { pool, clock, newLinks, onSends } = context;

  app.post(
    '/inbox/new-link',
    fromOurPages(context, async (request, reply) => {
      const source = askedBy(context, request);
      const site = siteForVisitor(context, request);
      if (newLinks.isSpent(source))
        return sendHtml(reply.header('retry-after', RETRY_AFTER_SECONDS), 429, sentencePage(site, 'tooMany'));
      newLinks.spend(source);
      const form = formOf(request);
      const answered = delay(ANSWER_MS);
      const businessId = await businessOf(context, form.get('link'), request.headers.cookie);
      const address = form.get('email') ?? '';
      if (businessId !== null && (await mailNewLink(pool, businessId, address, clock.now()))) onSends();
      await answered;
      return sendHtml(reply, 200, newLinkPage(site));
    }),
  );
}

/** The business comes from the link or from the expired session, so that a person cannot choose another one. */
async function businessOf({ pool, clock }: InboxContext, token: string | null, cookies: string | undefined) {
  const now = clock.now();
  const from = token === null ? await sessionOf(pool, cookies, now) : await linkOf(pool, token, now);
  return from?.businessId ?? null;
}
