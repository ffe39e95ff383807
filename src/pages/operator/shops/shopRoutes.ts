import type { FastifyRequest } from 'fastify';
import { actingMember } from '../../../businesses/audit.ts';
import { giveSender, senderOn, takeSender } from '../../../businesses/senders.ts';
import type { Settings, SettingsChange } from '../../../businesses/settings.ts';
import { readSettings } from '../../../businesses/sql.ts';
import { channels } from '../../../contract/channels.ts';
import { transaction } from '../../../db/transaction.ts';
import { OperatorError } from '../../../kit/errors.ts';
import { oneOf } from '../../../kit/typedValues.ts';
import type { Answer, DashboardContext, OperatorRoute, Visit } from '../../dashboard/context.ts';
import type { Page, Redirect } from '../../dashboard/layout.tsx';
import { get, nothingHere, post } from '../../dashboard/route.ts';
import type { Flashes } from '../../kit/flash.ts';
import { formOf, paramOf } from '../../kit/request.ts';
import { EMPTY_FORM, type RefusedForm, readForm, typedField } from '../../kit/typedForm.ts';
import { changeShop, type ShopAction } from './actions.ts';
import { readOperatedShop } from './reads.ts';
import { operatedShopPage } from './shopView.tsx';

const FLASHES = {
  created: [
    'good',
    'The shop was created. Tell its owner to sign in at this address, with theirs; the first steps wait there.',
  ],
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
  usage_same: ['good', 'The usage was counted anew. No day changed.'],
  usage_changed: ['good', 'The usage was counted anew, and some days changed. The audit log has how many.'],
  nothing_changed: ['waiting', 'Nothing was changed: it was so already.'],
} satisfies Flashes;
export type ShopFlash = keyof typeof FLASHES;

export const OPERATED_SHOP = '/dashboard/operator/shops/:shop_id';

const CHANNEL_FORM = { channel: typedField('The channel', oneOf(channels)) };

/** What an operator does to a shop, with the shop as it is. */
export type OperatedShopAction = ShopAction & { settings: Settings };

export type ShopActionHandler = (
  act: OperatedShopAction,
  visit: Visit,
  request: FastifyRequest,
) => Promise<Answer>;

/** Finds the shop of the address; any other is not found. */
export const onShop =
  ({ pool }: DashboardContext, handle: ShopActionHandler): OperatorRoute['handle'] =>
  async (visit, request) => {
    const [settings] = await readSettings(pool, [paramOf(request, 'shop_id')]);
    if (!settings) throw nothingHere();
    const act = { businessId: settings.id, actor: actingMember(visit.session.memberId), settings };
    return handle(act, visit, request);
  };

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
export function shopPageRoutes(context: DashboardContext): OperatorRoute[] {
  const { pool, clock, operator } = context;
  const action = 'operator.pages';

  const show = async (visit: Visit, { businessId }: ShopAction, form = EMPTY_FORM): Promise<Page> => {
    const shop = await readOperatedShop(pool, businessId, clock.now());
    if (shop === null) throw nothingHere();
    return operatedShopPage(visit, shop, form);
  };
  const refuse = async (visit: Visit, act: ShopAction, form: RefusedForm): Promise<Page> => ({
    ...(await show(visit, act, form)),
    status: 422,
  });

  /** A route that changes one setting, without asking. */
  const changes = (below: string, change: SettingsChange, flash: ShopFlash): OperatorRoute =>
    post(
      `${OPERATED_SHOP}/${below}`,
      action,
      onShop(context, async (act, visit) => {
        try {
          return toShop(act, await applyChange(context, act, change, flash));
        } catch (error) {
          if (!(error instanceof OperatorError)) throw error;
          return refuse(visit, act, { typed: {}, faults: { form: error.message } });
        }
      }),
    );

  const setSender: ShopActionHandler = async (act, visit, request) => {
    const { values: chosen, ...form } = readForm(formOf(request), CHANNEL_FORM);
    if (chosen === null) return refuse(visit, act, form);
    const { channel } = chosen;
    const sender = typedField('The sender', senderOn(channel, operator.providerNames));
    const { values, ...refused } = readForm(formOf(request), { address: sender, ...CHANNEL_FORM });
    if (values === null) return refuse(visit, act, refused);
    await transaction(pool, (tx) => giveSender(tx, clock.now(), { ...act, ...values }));
    return toShop(act, 'sender_set');
  };

  const removeSender: ShopActionHandler = async (act, _visit, request) => {
    const channel = channels.find((one) => one === paramOf(request, 'channel')) ?? null;
    const removed =
      channel && (await transaction(pool, (tx) => takeSender(tx, clock.now(), { ...act, channel })));
    return toShop(act, removed === null ? 'no_sender' : 'sender_removed');
  };

  return [
    get(
      OPERATED_SHOP,
      { action, flashes: FLASHES },
      onShop(context, (act, visit) => show(visit, act)),
    ),
    changes('pause', { paused: true }, 'paused'),
    changes('resume', { paused: false }, 'resumed'),
    changes('activate', { active: true }, 'activated'),
    post(`${OPERATED_SHOP}/senders`, action, onShop(context, setSender)),
    post(`${OPERATED_SHOP}/senders/:channel/remove`, action, onShop(context, removeSender)),
  ];
}
