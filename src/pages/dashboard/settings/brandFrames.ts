import type { FastifyRequest } from 'fastify';
import { queryOf } from '../../kit/request.ts';
import type { DashboardContext, ShopRoute } from '../context.ts';
import { inboxFrames, sendMailFrame } from '../frames.ts';
import { get } from '../route.ts';
import { readShopSettings } from './actions.ts';
import { previewInbox, previewNudges, type ShopBrand } from './brandPreview.ts';
import { brandIn, editsOf } from './fields.ts';

/** What the settings show in frames: a mail and the inbox, with a name, a colour and a language that may not be saved yet. */
export function brandFrameRoutes({ pool, clock, site }: DashboardContext): ShopRoute[] {
  const sendInboxFrame = inboxFrames(site.publicUrl);

  const brandFor = async (businessId: string, request: FastifyRequest): Promise<ShopBrand> => {
    const saved = await readShopSettings(pool, businessId);
    // A blank one is as it is saved.
    const typed = Object.entries(queryOf(request)).filter(([, text]) => text !== '');
    return { ...saved, ...brandIn(editsOf(new URLSearchParams(typed), ['name', 'colour', 'language'])) };
  };

  return [
    get('/settings/preview/mail', 'shop.view', async ({ shop }, request, reply) => {
      const { mail } = previewNudges(await brandFor(shop.id, request), site.publicUrl);
      return sendMailFrame(reply, mail.html);
    }),
    get('/settings/preview/inbox', 'shop.view', async ({ shop }, request, reply) =>
      sendInboxFrame(reply, previewInbox(await brandFor(shop.id, request), clock.now())),
    ),
  ];
}
