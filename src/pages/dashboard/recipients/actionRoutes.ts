import type { FastifyReply, FastifyRequest } from 'fastify';
import { limitConcurrency } from '../../../api/concurrency.ts';
import { isGone } from '../../../api/streams.ts';
import type { PaidChannel } from '../../../contract/channels.ts';
import { parseEmailAddress } from '../../../kit/emailAddress.ts';
import { ApiError, sentenceOf, statusOf } from '../../../kit/errors.ts';
import { formOf, paramOf } from '../../kit/request.ts';
import { type DashboardContext, type ShopRoute, type ShopVisit, sendDashboardPage } from '../context.ts';
import { asDownload } from '../download.ts';
import { findRecipientById } from '../messages/sql.ts';
import { customerGonePage } from '../notices.tsx';
import { get, post } from '../route.ts';
import {
  clearPhoneAsMember,
  enterPhoneAsMember,
  eraseAsMember,
  exportAsMember,
  liftAsMember,
  type RecipientAction,
  stopAsMember,
} from './actions.ts';
import { erasePage } from './erase.tsx';
import { suppressionsOf } from './reads.ts';
import { type RecipientFlash, sendRecipient } from './recipientRoutes.ts';

/** Longer than any number or address that is worth a look. */
const TYPED_MAX = 320;
/** An export or an erasure can take long, and holds a connection meanwhile. */
const LONG_ACTIONS_AT_ONCE = 2;

type ActionHandler = (
  visit: ShopVisit,
  act: RecipientAction,
  request: FastifyRequest,
  reply: FastifyReply,
  isStillAllowed: () => Promise<boolean>,
) => Promise<FastifyReply>;

/** What a member can do about a customer. */
export function recipientActionRoutes(context: DashboardContext): ShopRoute[] {
  const { pool, hash, site, onEvents } = context;
  const longActions = limitConcurrency(() => LONG_ACTIONS_AT_ONCE);
  const below = '/dashboard/:business_id/recipients/:recipient_id';

  const gone = ({ shop }: ShopVisit, reply: FastifyReply) =>
    sendDashboardPage(reply, 404, customerGonePage(site, shop.id));

  /** Finds the customer of the address; somebody else may have erased them since the page was made. */
  const onCustomer =
    (handle: ActionHandler): ShopRoute['handle'] =>
    async (visit, request, reply, isStillAllowed) => {
      const recipientId = paramOf(request, 'recipient_id');
      const [found] = await findRecipientById(pool, visit.shop.id, recipientId);
      if (!found) return gone(visit, reply);
      const { memberId } = visit.session;
      const act = { businessId: visit.shop.id, recipientId, email: found.email, memberId };
      try {
        return await handle(visit, act, request, reply, isStillAllowed);
      } catch (error) {
        if (error instanceof ApiError && error.code === 'recipient.not_found') return gone(visit, reply);
        throw error;
      }
    };

  const back = (reply: FastifyReply, { businessId, recipientId }: RecipientAction, flash: RecipientFlash) =>
    reply.redirect(site.to(`/dashboard/${businessId}/recipients/${recipientId}?flash=${flash}`), 303);

  const enterNumber: ActionHandler = async (visit, act, request, reply) => {
    const typed = (formOf(request).get('phone') ?? '').slice(0, TYPED_MAX);
    try {
      const changed = await enterPhoneAsMember(context, act, typed);
      return back(reply, act, changed ? 'number_set' : 'number_same');
    } catch (error) {
      if (!(error instanceof ApiError) || error.code === 'recipient.not_found') throw error;
      const fault = { typed, says: NUMBER_FAULTS[error.code] ?? sentenceOf(error.code) };
      const options = { fault, status: statusOf(error.code) };
      return (await sendRecipient(context, visit, reply, act.recipientId, options)) ?? gone(visit, reply);
    }
  };

  const recordStop: ActionHandler = async (visit, act, request, reply) => {
    const channel = channelIn(request);
    if (channel === null) return gone(visit, reply);
    const stopped = await stopAsMember(context, act, channel);
    if (stopped === null) return gone(visit, reply);
    if (stopped.deliveries > 0) onEvents();
    const isNew = stopped.changed || stopped.cancelled > 0;
    return back(reply, act, isNew ? `${channel}_stopped` : `${channel}_stopped_before`);
  };

  const lift: ActionHandler = async (visit, act, _request, reply) => {
    const lifter = visit.role === 'operator' ? 'operator' : 'shop';
    const { removed, removedForAll, kept } = await liftAsMember(context, act, lifter);
    if (removed.length === 0 && !removedForAll) return back(reply, act, 'nothing_lifted');
    const { forAll } = await suppressionsOf(pool, hash, act.businessId, act.email);
    return back(reply, act, kept.length > 0 || forAll ? 'lifted_partly' : 'lifted');
  };

  const download: ActionHandler = async (visit, act, request, reply, isStillAllowed) => {
    const exported = await longActions.run('export', () =>
      exportAsMember(context, act, () => isGone(request)),
    );
    if (exported === null || !(await isStillAllowed())) return gone(visit, reply);
    return reply
      .type('application/json; charset=utf-8')
      .header('content-disposition', `attachment; filename="customer-${act.recipientId}.json"`)
      .send(exported);
  };

  const erase: ActionHandler = async (visit, act, request, reply) => {
    const typed = (formOf(request).get('address') ?? '').slice(0, TYPED_MAX);
    if (parseEmailAddress(typed.trim()) !== act.email)
      return sendDashboardPage(reply, 422, erasePage({ site, visit, act, wrong: typed }));
    const report = await longActions.run('erasure', () => eraseAsMember(context, act));
    if (!report.subscription_deleted) return gone(visit, reply);
    return reply.redirect(site.to(`/dashboard/${visit.shop.id}/recipients?flash=erased`), 303);
  };

  return [
    post(`${below}/number`, 'recipient.change', onCustomer(enterNumber)),
    post(
      `${below}/number/clear`,
      'recipient.change',
      onCustomer(async (_visit, act, _request, reply) =>
        back(reply, act, (await clearPhoneAsMember(context, act)) ? 'number_cleared' : 'no_number'),
      ),
    ),
    post(`${below}/stop/:channel`, 'stop.record', onCustomer(recordStop)),
    post(`${below}/lift`, 'recipient.change', onCustomer(lift)),
    post(`${below}/export`, 'recipient.export', asDownload(context, onCustomer(download))),
    get(
      `${below}/erase`,
      'recipient.erase',
      onCustomer(async (visit, act, _request, reply) =>
        sendDashboardPage(reply, 200, erasePage({ site, visit, act, wrong: null })),
      ),
    ),
    post(`${below}/erase`, 'recipient.erase', onCustomer(erase)),
  ];
}

const NUMBER_FAULTS: Partial<Record<ApiError['code'], string>> = {
  'sms.phone_invalid':
    'This is not a mobile number that can be texted. Write it with its country, like +372 5555 0134.',
  'sms.phone_already_in_use': 'Another of your customers has this number. Clear it there first.',
};

function channelIn(request: FastifyRequest): PaidChannel | null {
  const channel = paramOf(request, 'channel');
  return channel === 'sms' || channel === 'whatsapp' ? channel : null;
}
