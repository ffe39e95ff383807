import type { FastifyInstance } from 'fastify';
import { readReply } from '../../../inbox/replySql.ts';
import { fieldOf, type InboxContext, sendPage } from './context.ts';
import { goneReplyPage, replyPage } from './views/reply.tsx';

/** Where the mail leads that tells a business's contact of a reply without repeating it. The token is the proof. */
export function replyRoutes(app: FastifyInstance, { pool, site, replyTokens }: InboxContext): void {
  app.get('/replies/:token', async (request, reply) => {
    const named = replyTokens.read(fieldOf(request.params, 'token') ?? '');
    const [found] = named === null ? [] : await readReply(pool, named.businessId, named.id);
    return found ? sendPage(reply, 200, replyPage(site, found)) : sendPage(reply, 404, goneReplyPage(site));
  });
}
