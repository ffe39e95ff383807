import { languageFor } from '../../../language/languages.ts';
import { messagesByKey, readMessageFacts } from '../../../messages/sql.ts';
import { readInbox } from '../../inbox/reading/reads.ts';
import { readBrand } from '../../inbox/sql.ts';
import { paramOf } from '../../kit/request.ts';
import type { DashboardContext, ShopRoute } from '../context.ts';
import { inboxFrames, sendMailFrame } from '../frames.ts';
import { get, orNothingHere } from '../route.ts';
import { readWording } from './customerReads.ts';

/** A message as its customer sees it: the mail, and its card in their inbox. */
export function messageFrameRoutes(context: DashboardContext): ShopRoute[] {
  const { clock, site } = context;
  const sendInboxFrame = inboxFrames(site.publicUrl);
  return [
    get('/messages/:id/mail', 'shop.view', async ({ shop }, request, reply) => {
      const wording = orNothingHere(await readWording(context, shop.id, paramOf(request, 'id'), 'email'));
      return sendMailFrame(reply, orNothingHere(wording.html));
    }),
    get('/messages/:id/inbox', 'shop.view', async ({ shop }, request, reply) => {
      const card = await readCard(context, shop.id, paramOf(request, 'id'));
      return sendInboxFrame(reply, { ...card, now: clock.now() });
    }),
  ];
}

/** The message unfolded, as if its customer had opened it, with what their inbox shows of its order. */
async function readCard({ pool }: DashboardContext, businessId: string, id: string) {
  const [[facts], [row]] = await Promise.all([
    readMessageFacts(pool, businessId, id),
    messagesByKey(pool, [businessId], [id]),
  ]);
  const { recipient_id: recipientId, unsubscribed_at } = orNothingHere(facts);
  const { body } = orNothingHere(row);
  const [[brand], inbox] = await Promise.all([
    readBrand(pool, businessId, recipientId),
    readInbox(pool, { businessId, recipientId }, { before: null, shown: id }),
  ]);
  const { language, business_language, ...shop } = orNothingHere(brand);
  const stories = inbox.pinned === null ? inbox.stories : [inbox.pinned];
  const story = orNothingHere(stories.find(({ messages }) => messages.some((message) => message.id === id)));
  const messages = story.messages.map((message) => (message.id === id ? { ...message, body } : message));
  return {
    session: {
      businessId,
      id: 'preview',
      recipientId,
      brand: shop,
      language: languageFor(language, business_language),
      isLanguageChosen: true,
      unsubscribed: unsubscribed_at !== null,
      expired: false,
      formToken: '',
    },
    page: { pinned: null, stories: [{ ...story, messages }], older: null, first: true },
    shown: id,
  };
}
