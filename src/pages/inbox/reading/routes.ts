import type { FastifyInstance } from 'fastify';
import { sendEventStream } from '../../../api/streams.ts';
import { transaction } from '../../../db/transaction.ts';
import { openMessage } from '../../../messages/open.ts';
import { sendHtml } from '../../kit/page.tsx';
import { formOf, idFrom, lastSeenOf, paramOf, queryOf } from '../../kit/request.ts';
import { forReader, forReadersForm, type InboxContext, siteForVisitor } from '../context.ts';
import { backToInboxPage, sentencePage } from '../notices.tsx';
import { endedSessionCookie } from '../session.ts';
import { changeMarkOf, deleteSession } from '../sql.ts';
import { Message } from './message.tsx';
import { type Reader, readInbox, readMessage, readShipmentsAbout } from './reads.ts';
import { inboxPage } from './views.tsx';

const RETRY_SECONDS = 30;

export function readingRoutes(app: FastifyInstance, context: InboxContext): void {
  const { pool, clock, live } = context;
  signOutRoutes(app, context);

  app.get(
    '/inbox',
    forReader(context, async ({ session, site, request }) => {
      const shown = idFrom(queryOf(request).open);
      const before = idFrom(queryOf(request).before);
      // Before the page is read: a change meanwhile causes a reload instead of being missed.
      const [mark] = await changeMarkOf(pool, session.businessId, session.recipientId);
      const page = await readInbox(pool, session, { before, shown });
      return inboxPage({ site, session, page, shown, seen: mark?.print ?? '', now: clock.now() });
    }),
  );

  app.get(
    '/inbox/live',
    { exposeHeadRoute: false },
    forReader(context, async ({ session, site, request, reply }) => {
      const stream = live.watch(session, lastSeenOf(request));
      if (stream === null)
        return sendHtml(reply.header('retry-after', RETRY_SECONDS), 503, sentencePage(site, 'trouble'));
      return sendEventStream(request, reply, stream);
    }),
  );

  app.post(
    '/inbox/messages/:id/open',
    forReadersForm(context, async ({ session, site, request, reply }) => {
      const id = idFrom(paramOf(request, 'id'));
      const message = id === null ? null : await openedMessage(context, session, id);
      if (message === null) return sendHtml(reply, 404, backToInboxPage(site, 'notFound', session.brand));
      // The script requests only the message and inserts it; without a script the whole page is sent.
      if (formOf(request).get('part') !== 'message')
        return reply.redirect(site.paths.inbox({ open: message.id }), 303);
      const { formToken } = session;
      const shipments = await readShipmentsAbout(pool, session, message);
      return `${Message({ site, message, shipments, formToken, unfolded: true })}`;
    }),
  );
}

function signOutRoutes(app: FastifyInstance, context: InboxContext): void {
  const { pool, place, cookies } = context;
  app.post(
    '/inbox/sign-out',
    forReadersForm(context, async ({ session, reply }) => {
      await deleteSession(pool, session.businessId, session.id);
      return reply.header('set-cookie', endedSessionCookie(cookies)).redirect(place.paths.signedOut, 303);
    }),
  );

  app.get('/inbox/signed-out', async (request, reply) =>
    sendHtml(reply, 200, sentencePage(siteForVisitor(context, request), 'signedOut')),
  );
}

async function openedMessage({ pool, clock, onEvents }: InboxContext, reader: Reader, messageId: string) {
  const { businessId, recipientId } = reader;
  const { deliveries } = await transaction(pool, (tx) =>
    openMessage(tx, { businessId, recipientId, messageId }, clock.now()),
  );
  if (deliveries > 0) onEvents();
  return readMessage(pool, reader, messageId);
}
