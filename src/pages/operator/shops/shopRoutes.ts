import type { FastifyReply, FastifyRequest } from 'fastify';
import { actingMember } from '../../../businesses/audit.ts';
import { giveSender, senderOn, takeSender } from '../../../businesses/senders.ts';
import type { Settings, SettingsChange } from '../../../businesses/settings.ts';
import { readSettings } from '../../../businesses/sql.ts';
import { type Channel, channels } from '../../../contract/channels.ts';
import { transaction } from '../../../db/transaction.ts';
import { OperatorError } from '../../../kit/errors.ts';
import { oneOf } from '../../../kit/typedValues.ts';
import {
  type DashboardContext,
  type OperatorRoute,
  sendDashboardPage,
  type Visit,
} from '../../dashboard/context.ts';
import { get, nothingHere, post } from '../../dashboard/route.ts';
import { type Flash, type Flashes, flashIn } from '../../kit/flash.ts';
import { paramOf } from '../../kit/request.ts';
import { EMPTY_FORM, type RefusedForm, typedForm } from '../../kit/typedForm.ts';
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

export type ShopActionHandler = (
  act: ShopAction & { settings: Settings },
  visit: Visit,
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<FastifyReply>;

/** Finds the shop of the address; any other is not found. */
export const onShop =
  ({ pool }: DashboardContext, handle: ShopActionHandler): OperatorRoute['handle'] =>
  async (visit, request, reply) => {
    const [settings] = await readSettings(pool, [paramOf(request, 'shop_id')]);
    if (!settings) throw nothingHere();
    const act = { businessId: settings.id, actor: actingMember(visit.session.memberId), settings };
    return handle(act, visit, request, reply);
  };

/** Back to the shop's page, which says what was done. */
export const toShop = (
  { site }: DashboardContext,
  reply: FastifyReply,
  { businessId }: ShopAction,
  flash: ShopFlash,
): FastifyReply => reply.redirect(site.to(`/dashboard/operator/shops/${businessId}?flash=${flash}`), 303);

/** A shop's page, and what is done on it at once. Everything else has a page that asks (shopForms.ts). */
export function shopPageRoutes(context: DashboardContext): OperatorRoute[] {
  const { pool, clock, site, onEvents, operator } = context;
  const action = 'operator.pages';

  const send = async (
    visit: Visit,
    reply: FastifyReply,
    { businessId }: ShopAction,
    { flash = null, form = EMPTY_FORM }: { flash?: Flash | null; form?: RefusedForm },
  ): Promise<FastifyReply> => {
    const shop = await readOperatedShop(pool, businessId, clock.now());
    if (shop === null) throw nothingHere();
    const status = form === EMPTY_FORM ? 200 : 422;
    return sendDashboardPage(reply, status, operatedShopPage({ site, visit, shop, flash, form }));
  };

  /** A route that changes one setting, without asking. */
  const changes = (below: string, change: SettingsChange, flash: ShopFlash): OperatorRoute =>
    post(
      `${OPERATED_SHOP}/${below}`,
      action,
      onShop(context, async (act, visit, _request, reply) => {
        try {
          const { changed, deliveries } = await changeShop(
            { pool, clock, sandbox: site.sandbox },
            act,
            change,
          );
          if (deliveries > 0) onEvents();
          return toShop(context, reply, act, changed ? flash : 'nothing_changed');
        } catch (error) {
          if (!(error instanceof OperatorError)) throw error;
          return send(visit, reply, act, { form: { typed: {}, faults: { form: error.message } } });
        }
      }),
    );

  const setSender: ShopActionHandler = async (act, visit, request, reply) => {
    const form = typedForm(request);
    const channel = form.required('channel', 'The channel', oneOf(channels));
    const address =
      channel && form.required('address', 'The sender', senderOn(channel, operator.providerNames));
    if (!channel || !address) return send(visit, reply, act, { form: form.refused() ?? EMPTY_FORM });
    await transaction(pool, (tx) => giveSender(tx, clock.now(), { ...act, channel, address }));
    return toShop(context, reply, act, 'sender_set');
  };

  const removeSender: ShopActionHandler = async (act, _visit, request, reply) => {
    const channel = channelIn(request);
    const removed =
      channel && (await transaction(pool, (tx) => takeSender(tx, clock.now(), { ...act, channel })));
    return toShop(context, reply, act, removed === null ? 'no_sender' : 'sender_removed');
  };

  return [
    get(
      OPERATED_SHOP,
      action,
      onShop(context, async (act, visit, request, reply) => {
        return send(visit, reply, act, { flash: flashIn(request, FLASHES) });
      }),
    ),
    changes('pause', { paused: true }, 'paused'),
    changes('resume', { paused: false }, 'resumed'),
    changes('activate', { active: true }, 'activated'),
    post(`${OPERATED_SHOP}/senders`, action, onShop(context, setSender)),
    post(`${OPERATED_SHOP}/senders/:channel/remove`, action, onShop(context, removeSender)),
  ];
}

const channelIn = (request: FastifyRequest): Channel | null =>
  channels.find((channel) => channel === paramOf(request, 'channel')) ?? null;
