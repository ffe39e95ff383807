import type { FastifyRequest } from 'fastify';
import { loadAssets } from '../../inbox/assets.ts';
import { siteIn } from '../../inbox/context.ts';
import { inboxPaths } from '../../inbox/paths.ts';
import { inboxPage } from '../../inbox/reading/views.tsx';
import { sendHtml } from '../../kit/page.tsx';
import { queryOf } from '../../kit/request.ts';
import { MAIL_HEADERS, openingElsewhere } from '../../sandbox/mail.ts';
import type { DashboardContext, ShopRoute } from '../context.ts';
import { get } from '../route.ts';
import { readShopSettings } from './actions.ts';
import { previewInbox, previewNudges, type ShopBrand } from './brandPreview.ts';
import { brandIn, editsOf } from './fields.ts';

/** The inbox with its own styles, inert: nothing in it can be sent or run. Its origin stays, or its style sheets would be refused. */
const INBOX_HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
    'sandbox allow-same-origin',
  ].join('; '),
  'x-frame-options': 'SAMEORIGIN',
} as const;

/** What the settings show in frames: a mail and the inbox, with a name, a colour and a language that may not be saved yet. */
export function brandFrameRoutes({ pool, clock, site }: DashboardContext): ShopRoute[] {
  const place = { paths: inboxPaths(site.publicUrl), assets: loadAssets() };

  const brandFor = async (businessId: string, request: FastifyRequest): Promise<ShopBrand> => {
    const saved = await readShopSettings(pool, businessId);
    // A blank one is as it is saved.
    const typed = Object.entries(queryOf(request)).filter(([, text]) => text !== '');
    return { ...saved, ...brandIn(editsOf(new URLSearchParams(typed), ['name', 'colour', 'language'])) };
  };

  return [
    get('/settings/preview/mail', 'shop.view', async ({ shop }, request, reply) => {
      const { mail } = previewNudges(await brandFor(shop.id, request), site.publicUrl);
      return { sent: sendHtml(reply.headers(MAIL_HEADERS), 200, openingElsewhere(mail.html)) };
    }),
    get('/settings/preview/inbox', 'shop.view', async ({ shop }, request, reply) => {
      const preview = previewInbox(await brandFor(shop.id, request), clock.now());
      const inbox = siteIn({ place }, preview.session.language);
      const page = inboxPage({ site: inbox, seen: '', isPreview: true, ...preview });
      return { sent: sendHtml(reply.headers(INBOX_HEADERS), 200, page) };
    }),
  ];
}
