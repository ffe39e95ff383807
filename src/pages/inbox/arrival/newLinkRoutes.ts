import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { formOf } from '../../kit/request.ts';
import {
  askedBy,
  fromOurPages,
  type InboxContext,
  RETRY_AFTER_SECONDS,
  sendInboxPage,
  siteForVisitor,
} from '../context.ts';
import { newLinkPage, sentencePage } from '../notices.tsx';
import { sessionOf } from '../session.ts';
import { linkOf, mailNewLink } from './links.ts';

/** The response takes at least this long, so that its timing does not reveal which addresses exist. */
const ANSWER_MS = 250;

/** "Send me a new link": the same response for everyone, whether or not the link or the address exists. */
export function newLinkRoutes(app: FastifyInstance, context: InboxContext): void {
  const { pool, clock, newLinks, onSends } = context;

  app.post(
    '/inbox/new-link',
    fromOurPages(context, async (request, reply) => {
      const source = askedBy(context, request);
      const site = siteForVisitor(context, request);
      if (newLinks.isSpent(source))
        return sendInboxPage(
          reply.header('retry-after', RETRY_AFTER_SECONDS),
          429,
          sentencePage(site, 'tooMany'),
        );
      newLinks.spend(source);
      const form = formOf(request);
      const answered = delay(ANSWER_MS);
      const businessId = await businessOf(form.get('link'), request.headers.cookie);
      const address = form.get('email') ?? '';
      if (businessId !== null && (await mailNewLink(pool, businessId, address, clock.now()))) onSends();
      await answered;
      return sendInboxPage(reply, 200, newLinkPage(site));
    }),
  );

  /** The business comes from the link or from the expired session, so that a person cannot choose another one. */
  async function businessOf(token: string | null, cookies: string | undefined): Promise<string | null> {
    const now = clock.now();
    const from = token === null ? await sessionOf(pool, cookies, now) : await linkOf(pool, token, now);
    return from?.businessId ?? null;
  }
}
