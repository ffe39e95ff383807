import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { logoUrlFor } from '../../../businesses/logo/logo.ts';
import { knownStatus } from '../../../contract/orderStatuses.ts';
import type { Sealer } from '../../../kit/seal.ts';
import { languageFor } from '../../../language/languages.ts';
import type { RenderedPush } from '../../../push/preview.ts';
import type { PushRequest } from '../../../push/request.ts';
import { queryOf, withQuery } from '../../kit/request.ts';
import { openingElsewhere } from '../../sandbox/mail.ts';
import type { DashboardContext, ShopRoute, ShopVisit } from '../context.ts';
import { type FramePart, inboxRenderer, sendFrame } from '../frames.ts';
import { get, goTo, orNothingHere } from '../route.ts';
import { readShopSettings } from '../settings/actions.ts';
import { inboxWith, type ShopBrand } from '../settings/brandPreview.ts';

/** More would make the frame's address too long for some proxies. The whole text stands in the form. */
const INBOX_TEXT_SHOWN = 600;

/** What a push would do, with the addresses of frames that show the mail and the inbox as its customer would see them. */
export function openPushPreview({ pool, clock, previews, sealer, site }: DashboardContext) {
  const renderInbox = inboxRenderer(site.publicUrl);

  const inboxHtml = (brand: ShopBrand, { preview }: RenderedPush, request: PushRequest): string => {
    const { subject, body, reference, orderStatus } = request;
    const language = languageFor(preview.language, preview.language);
    const shown = cut(body, INBOX_TEXT_SHOWN);
    const message = { ago: 0, subject, body: shown, reference, orderStatus: knownStatus(orderStatus) };
    return renderInbox(inboxWith(brand, language, clock.now(), [message]));
  };

  return async ({ shop, to }: ShopVisit, request: PushRequest) => {
    const brand = await readShopSettings(pool, shop.id);
    const logoUrl = logoUrlFor(site.publicUrl, brand);
    const rendered = await previews.render({ colour: brand.colour, logoUrl }, shop.id, request);
    const { preview, mail } = rendered;
    const frame = (part: FramePart, html: string): string =>
      to(withQuery(`/push/preview/${part}`, { of: sealPage(sealer, contextOf(shop.id, part), html) }));
    return {
      ...preview,
      mail: mail && { ...mail, frame: frame('mail', openingElsewhere(mail.html)) },
      inboxFrame: frame('inbox', inboxHtml(brand, rendered, request)),
    };
  };
}
export type ShownPreview = Awaited<ReturnType<ReturnType<typeof openPushPreview>>>;

/** The frames themselves. Their addresses hold all that they show: a preview writes nothing. */
export const previewFrameRoutes = ({ sealer }: DashboardContext): ShopRoute[] =>
  (['mail', 'inbox'] as const).map((part) =>
    get(`/push/preview/${part}`, 'message.push', async (visit, request, reply) => {
      const { of: sealed } = queryOf(request);
      if (sealed === undefined) return goTo(visit, '/push');
      const html = orNothingHere(openPage(sealer, contextOf(visit.shop.id, part), sealed));
      return sendFrame(reply, part, html);
    }),
  );

const contextOf = (businessId: string, part: FramePart): string => `push preview ${part}:${businessId}`;

/** Somebody waits for it while they type. */
const COMPRESSION = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

/** Sealed, so that addresses tell nothing and nobody else writes a page. */
const sealPage = (sealer: Sealer, context: string, html: string): string =>
  sealer.seal(brotliCompressSync(html, COMPRESSION).toString('base64'), context).toString('base64url');

/** Null: it was altered, or it is another shop's. */
function openPage(sealer: Sealer, context: string, sealed: string): string | null {
  try {
    const compressed = sealer.open(Buffer.from(sealed, 'base64url'), context);
    return brotliDecompressSync(Buffer.from(compressed, 'base64')).toString('utf8');
  } catch {
    return null;
  }
}

function cut(text: string, longest: number): string {
  const characters = [...text];
  return characters.length <= longest ? text : `${characters.slice(0, longest).join('')}…`;
}
