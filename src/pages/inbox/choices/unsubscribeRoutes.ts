import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { bodyParser } from '../../../api/readBody.ts';
import { languageFor } from '../../../language/languages.ts';
import { sendHtml } from '../../kit/page.tsx';
import { paramOf } from '../../kit/request.ts';
import { FORM_MAX, type InboxContext, siteForVisitor, siteIn } from '../context.ts';
import { backToInboxPage, unsubscribeByMailPage, unsubscribedPage } from '../notices.tsx';
import { readBrand } from '../sql.ts';
import { unsubscribeByMail } from './actions.ts';

/**
 * Unsubscribing from a mail. A mail client sends one POST without cookies or redirects (RFC 8058); a person who
 * follows the link gets a page with a button. A GET changes nothing, because scanners send it. The token
 * authorises it, so there is no session to protect from other sites.
 */
export function unsubscribeRoutes(app: FastifyInstance, context: InboxContext): void {
  const { pool, clock, unsubscribeTokens, onEvents } = context;

  // RFC 8058 lets the client choose between two form encodings. Neither needs parsing to be recognised.
  app.addContentTypeParser(
    'multipart/form-data',
    bodyParser((body) => body.toString('utf8'), FORM_MAX),
  );

  app.get('/unsubscribe/:token', async (request, reply) => {
    const found = await whom(request, reply);
    if (found === null) return reply;
    const { site, brand, token } = found;
    return sendHtml(reply, 200, unsubscribeByMailPage(site, brand, token));
  });

  app.post('/unsubscribe/:token', async (request, reply) => {
    const found = await whom(request, reply);
    if (found === null) return reply;
    const { site, brand, token, named } = found;
    if (!isMeant(request.body)) return sendHtml(reply, 400, unsubscribeByMailPage(site, brand, token));
    const deliveries = await unsubscribeByMail(context, named, clock.now());
    if (deliveries > 0) onEvents();
    return sendHtml(reply, 200, unsubscribedPage(site, brand));
  });

  async function whom(request: FastifyRequest, reply: FastifyReply) {
    const token = paramOf(request, 'token');
    const named = unsubscribeTokens.read(token);
    const [brand] = named === null ? [] : await readBrand(pool, named.businessId, named.recipientId);
    if (named !== null && brand) {
      const site = siteIn(context, languageFor(brand.language, brand.business_language));
      return { named, site, brand, token };
    }
    sendHtml(reply, 404, backToInboxPage(siteForVisitor(context, request), 'notFound'));
    return null;
  }
}

/** The client's one-click body, or our own button. Any other POST may be unintended. */
function isMeant(body: unknown): boolean {
  if (body instanceof URLSearchParams)
    return body.get('List-Unsubscribe') === 'One-Click' || body.get('confirm') === 'yes';
  return (
    typeof body === 'string' &&
    /name="?List-Unsubscribe"?\r?\n(?:[^\r\n]+\r?\n)*\r?\nOne-Click\r?\n/i.test(body)
  );
}
