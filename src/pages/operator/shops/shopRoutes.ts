import type { FastifyRequest } from 'fastify';
import { actingMember } from '../../../businesses/audit.ts';
import { signsHere } from '../../../businesses/domains/records.ts';
import { giveSender, takeSender } from '../../../businesses/senders.ts';
import type { Settings, SettingsChange } from '../../../businesses/settings.ts';
import { readSettings } from '../../../businesses/sql.ts';
import { channels } from '../../../contract/channels.ts';
import { transaction } from '../../../db/transaction.ts';
import type { ProviderNames } from '../../../environment/providers.ts';
import { OperatorError } from '../../../kit/errors.ts';
import { oneOf } from '../../../kit/typedValues.ts';
import { providerOn, senderOn } from '../../../providers/senders.ts';
import type { Answer, DashboardContext, OperatorRoute, Visit } from '../../dashboard/context.ts';
import type { Page, Redirect } from '../../dashboard/layout.tsx';
import { get, nothingHere, onError, orNothingHere, post } from '../../dashboard/route.ts';
import type { Flashes } from '../../kit/flash.ts';
import { formOf, paramOf, textIn } from '../../kit/request.ts';
import { EMPTY_FORM, optionalField, type RefusedForm, readForm, typedField } from '../../kit/typedForm.ts';
import { changeShop, type ShopAction } from './actions.ts';
import { readOperatedShop } from './reads.ts';
import { operatedShopPage } from './shopView.tsx';

const FLASHES = {
  created: [
    'good',
    'The shop was created. Tell its owner to sign in at this address, with theirs; the first steps wait there.',
  ],
  created_invited: ['good', 'The shop was created, and an invitation is on its way to its owner.'],
  credited: ['good', 'The credits were added.'],
  plan_changed: ['good', 'The plan was changed.'],
  limits_changed: ['good', 'The limits were changed.'],
  paused: ['good', 'Sending is paused, on every node.'],
  resumed: ['good', 'The shop sends again. What waited goes out now.'],
  deactivated: ['good', 'The shop is deactivated. Its keys are refused from now on.'],
  activated: ['good', 'The shop is active again.'],
  sender_set: ['good', 'The shop has this sender now.'],
  sender_removed: ['good', 'The shop uses the shared sender again.'],
  no_sender: ['waiting', 'Nothing was changed: the shop has no sender of its own there.'],
  domain_added: ['good', 'The address was added. It is used once the DNS records of its domain are right.'],
  domain_checked: ['good', 'The domain was checked. What was found stands beside it.'],
  domain_not_checked: ['waiting', 'Nothing was checked: the last check is less than half a minute ago.'],
  usage_same: ['good', 'The usage was counted anew. No day changed.'],
  usage_changed: ['good', 'The usage was counted anew, and some days changed. The audit log has how many.'],
  nothing_changed: ['waiting', 'Nothing was changed: it was so already.'],
} satisfies Flashes;
export type ShopFlash = keyof typeof FLASHES;

/** What an operator does to a shop, with the shop as it is. */
export type OperatedShopAction = ShopAction & { settings: Settings };

export type ShopActionHandler = (
  act: OperatedShopAction,
  visit: Visit,
  request: FastifyRequest,
) => Promise<Answer>;

/** A route below a shop's page, by `get` or `post`. An address of no shop leads to nothing. */
export const shopRoute = (
  { pool }: DashboardContext,
  routeBy: typeof get<Visit>,
  below: string,
  rules: Parameters<typeof get<Visit>>[1],
  handle: ShopActionHandler,
): OperatorRoute =>
  routeBy(`/dashboard/operator/shops/:shop_id${below}`, rules, async (visit, request) => {
    const [settings] = await readSettings(pool, [paramOf(request, 'shop_id')]);
    if (!settings) throw nothingHere();
    const act = { businessId: settings.id, actor: actingMember(visit.session.memberId), settings };
    return handle(act, visit, request);
  });

/** Back to the shop's page, which says what was done. */
export const toShop = ({ businessId }: ShopAction, flash: ShopFlash): Redirect => ({
  goTo: `/dashboard/operator/shops/${businessId}?flash=${flash}`,
});

/** Changes settings, and says so to the webhook workers. Returns what the shop's page then says. */
export async function applyChange(
  { pool, clock, site, onEvents }: DashboardContext,
  act: ShopAction,
  change: SettingsChange,
  flash: ShopFlash,
): Promise<ShopFlash> {
  const { changed, deliveries } = await changeShop({ pool, clock, sandbox: site.sandbox }, act, change);
  if (deliveries > 0) onEvents();
  return changed ? flash : 'nothing_changed';
}

/** A shop's page, and what is done on it at once. Everything else has a page that asks. */
export const shopPageRoutes = (context: DashboardContext): OperatorRoute[] => [
  shopRoute(context, get, '', { action: 'operator.pages', flashes: FLASHES }, (act, visit) =>
    showShop(context, visit, act),
  ),
  changeRoute(context, '/pause', { paused: true }, 'paused'),
  changeRoute(context, '/resume', { paused: false }, 'resumed'),
  changeRoute(context, '/activate', { active: true }, 'activated'),
  ...senderRoutes(context),
];

export async function showShop(
  { pool, clock, mailServer, operator }: DashboardContext,
  visit: Visit,
  { businessId }: ShopAction,
  refused: RefusedForm | null = null,
): Promise<Page> {
  const shop = orNothingHere(await readOperatedShop(pool, businessId, clock.now()));
  const mail = { isSignedHere: signsHere(operator.providerNames.email), mailServer };
  return {
    ...operatedShopPage(visit, shop, refused ?? EMPTY_FORM, mail, providersToChoose(operator.providerNames)),
    status: refused === null ? 200 : 422,
  };
}

/** Those with which a shop can have a sender apart: of texts or WhatsApp, where another one is set beside it. */
const providersToChoose = ({ sms, whatsapp }: ProviderNames): string[] => [
  ...new Set([sms, whatsapp].filter(({ length }) => length > 1).flat()),
];

/** A route that changes one setting, without asking. */
const changeRoute = (
  context: DashboardContext,
  below: string,
  change: SettingsChange,
  flash: ShopFlash,
): OperatorRoute =>
  shopRoute(context, post, below, 'operator.pages', (act, visit) =>
    applyChange(context, act, change, flash).then(
      (done) => toShop(act, done),
      onError(OperatorError, ({ message }) =>
        showShop(context, visit, act, { typed: {}, faults: { form: message } }),
      ),
    ),
  );

/** Longer than any name. */
const PROVIDER_LENGTH_MAX = 64;
const CHANNEL_FORM = { channel: typedField('The channel', oneOf(channels)) };

function senderRoutes(context: DashboardContext): OperatorRoute[] {
  const { pool, clock, operator } = context;
  return [
    shopRoute(context, post, '/senders', 'operator.pages', async (act, visit, request) => {
      const { values: chosen, ...form } = readForm(formOf(request), CHANNEL_FORM);
      if (chosen === null) return showShop(context, visit, act, form);
      const { channel } = chosen;
      const providers = operator.providerNames[channel];
      const named = textIn(formOf(request), 'provider', PROVIDER_LENGTH_MAX);
      const alone = providers.find((one) => one === named);
      const { values, ...refused } = readForm(formOf(request), {
        ...CHANNEL_FORM,
        provider: optionalField('The provider', providerOn(channel, providers)),
        address: typedField('The sender', senderOn(channel, alone === undefined ? providers : [alone])),
      });
      if (values === null) return showShop(context, visit, act, refused);
      await transaction(pool, (tx) => giveSender(tx, clock.now(), { ...act, ...values }));
      return toShop(act, 'sender_set');
    }),
    ...['/senders/:channel/remove', '/senders/:channel/:provider/remove'].map((below) =>
      shopRoute(context, post, below, 'operator.pages', async (act, _visit, request) => {
        const channel = channels.find((one) => one === paramOf(request, 'channel')) ?? null;
        const provider = paramOf(request, 'provider') || null;
        const sender = channel && { ...act, channel, provider };
        const removed = sender && (await transaction(pool, (tx) => takeSender(tx, clock.now(), sender)));
        return toShop(act, removed === null ? 'no_sender' : 'sender_removed');
      }),
    ),
  ];
}
