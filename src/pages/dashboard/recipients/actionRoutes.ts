import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Concurrency, limitConcurrency } from '../../../api/concurrency.ts';
import { isGone } from '../../../api/streams.ts';
import { eraseRecipient } from '../../../erasure/erasure.ts';
import { exportRecipient, withInterfaceTimes } from '../../../erasure/export.ts';
import { parseEmailAddress } from '../../../kit/emailAddress.ts';
import { ApiError, sentenceOf, statusOf } from '../../../kit/errors.ts';
import { catchUp } from '../../../orders/projector.ts';
import { stopForShop } from '../../../outbox/shopStop.ts';
import { enterPhone, removePhone } from '../../../recipients/phones.ts';
import { liftSuppressions } from '../../../recipients/suppressions.ts';
import { formOf, paramOf, textIn } from '../../kit/request.ts';
import {
  type ActionContext,
  type Answer,
  actionContext,
  type DashboardContext,
  memberTransaction,
  type ShopRoute,
  type ShopVisit,
} from '../context.ts';
import type { Page, Redirect } from '../layout.tsx';
import { recordDownload } from '../messages/actions.ts';
import { findRecipientById } from '../messages/sql.ts';
import { customerGone } from '../notices.ts';
import { asDownload, get, goTo, onError, onRefusal, paidChannelOf, post } from '../route.ts';
import { erasePage } from './actionViews.tsx';
import { suppressionsOf } from './reads.ts';
import { type RecipientFlash, showRecipient } from './routes.ts';

/** Longer than any number or address that is worth a look. */
const TYPED_MAX = 320;
/** An export or an erasure can take long, and holds a connection meanwhile. */
const LONG_ACTIONS_AT_ONCE = 2;

/** What a member does about a customer, whose `email` is normalised. */
interface RecipientAction extends ActionContext {
  recipientId: string;
  email: string;
}

interface ActionRequest extends DashboardContext {
  longActions: Concurrency;
  visit: ShopVisit;
  action: RecipientAction;
  request: FastifyRequest;
  reply: FastifyReply;
  isStillAllowed: () => Promise<boolean>;
  back(flash: RecipientFlash): Redirect;
}

type ActionHandler = (actionRequest: ActionRequest) => Promise<Answer>;

/**
 * What a member can do about a customer: the functions of the API and the command line, each with an audit entry of the member.
 * They answer whether anything changed, since the same form may have been sent in another tab.
 */
export function recipientActionRoutes(context: DashboardContext): ShopRoute[] {
  const longActions = limitConcurrency(() => LONG_ACTIONS_AT_ONCE);
  const below = '/recipients/:recipient_id';
  /** Finds the customer of the address; somebody else may have erased them since the page was made. */
  const on =
    (handle: ActionHandler): ShopRoute['handle'] =>
    async (visit, request, reply, isStillAllowed) => {
      const recipientId = paramOf(request, 'recipient_id');
      const [found] = await findRecipientById(context.pool, visit.shop.id, recipientId);
      if (!found) return customerGone(visit);
      const action = { ...actionContext(context, visit), recipientId, email: found.email };
      const back = (flash: RecipientFlash) => goTo(visit, `/recipients/${recipientId}`, flash);
      const actionRequest = { ...context, longActions, visit, action, request, reply, isStillAllowed, back };
      return handle(actionRequest).catch(
        onError(ApiError, ({ code }) => (code === 'recipient.not_found' ? customerGone(visit) : null)),
      );
    };
  return [
    post(`${below}/number`, 'recipient.change', on(enterNumber)),
    post(`${below}/number/clear`, 'recipient.change', on(clearNumber)),
    post(`${below}/stop/:channel`, 'stop.record', on(recordStop)),
    post(`${below}/lift`, 'recipient.change', on(lift)),
    post(`${below}/export`, 'recipient.export', asDownload(context, on(download))),
    get(`${below}/erase`, 'recipient.erase', on(askToErase)),
    post(`${below}/erase`, 'recipient.erase', on(erase)),
  ];
}

const enterNumber: ActionHandler = async ({ visit, action, request, back, ...context }) => {
  const phone = textIn(formOf(request), 'phone', TYPED_MAX);
  const showFault = async ({ code }: ApiError): Promise<Page> => {
    const faults = { phone: NUMBER_FAULTS[code] ?? sentenceOf(code) };
    const page = await showRecipient(context, visit, action.recipientId, { typed: { phone }, faults });
    return { ...page, status: statusOf(code) };
  };
  return enterPhone(context, action, phone, { source: 'admin', actor: action.actor }).then(
    ({ changed }) => back(changed ? 'number_set' : 'number_same'),
    onRefusal(showFault, 'recipient.not_found'),
  );
};

const NUMBER_FAULTS: Partial<Record<ApiError['code'], string>> = {
  'sms.phone_invalid':
    'This is not a mobile number that can get SMS. Write it with its country, like +372 5555 0134.',
  'sms.phone_already_in_use': 'Another of your customers has this number. Clear it there first.',
};

const clearNumber: ActionHandler = async ({ action, back, ...context }) => {
  const { changed } = await removePhone(context, action, { source: 'admin', actor: action.actor });
  return back(changed ? 'number_cleared' : 'no_number');
};

const recordStop: ActionHandler = async ({ pool, clock, hash, onEvents, visit, action, request, back }) => {
  const channel = paidChannelOf(request);
  const stopped = await memberTransaction(pool, (tx) =>
    stopForShop(tx, { clock, hash }, { ...action, channel }),
  );
  if (stopped === null) return customerGone(visit);
  if (stopped.deliveries > 0) onEvents();
  const isNew = stopped.changed || stopped.cancelled > 0;
  return back(isNew ? `${channel}_stopped` : `${channel}_stopped_before`);
};

const lift: ActionHandler = async ({ pool, clock, hash, visit, action, back }) => {
  const lifter = visit.role === 'operator' ? 'operator' : 'shop';
  const { removed, removedForAll, kept } = await memberTransaction(pool, (tx) =>
    liftSuppressions(tx, hash, { ...action, lifter }, clock.now()),
  );
  if (removed.length === 0 && !removedForAll) return back('nothing_lifted');
  const { forAll } = await suppressionsOf(pool, hash, action.businessId, action.email);
  return back(kept.length > 0 || forAll ? 'lifted_partly' : 'lifted');
};

const download: ActionHandler = async (actionRequest) => {
  const { pool, clock, hash, longActions, visit, action, request, reply, isStillAllowed } = actionRequest;
  const { businessId, actor, recipientId: id, email } = action;
  const held = await longActions.run('export', async () => {
    const entry = { businessId, actor, recipient: { id, email }, action: 'recipient.exported' } as const;
    await recordDownload(pool, clock.now(), entry);
    await catchUp({ pool, clock }, businessId);
    return memberTransaction(pool, (tx) => exportRecipient(tx, hash, action, () => isGone(request)));
  });
  if (held === null || !(await isStillAllowed())) return customerGone(visit);
  reply
    .type('application/json; charset=utf-8')
    .header('content-disposition', `attachment; filename="customer-${id}.json"`);
  return { sent: reply.send(withInterfaceTimes({ exported_at: clock.now(), ...held })) };
};

const askToErase: ActionHandler = async ({ visit, action }) => erasePage(visit, action, null);

const erase: ActionHandler = async ({ pool, clock, hash, longActions, visit, action, request }) => {
  const typed = textIn(formOf(request), 'address', TYPED_MAX);
  if (parseEmailAddress(typed) !== action.email) return { ...erasePage(visit, action, typed), status: 422 };
  const report = await longActions.run('erasure', () =>
    memberTransaction(pool, (tx) => eraseRecipient(tx, { clock, hash }, action)),
  );
  return report.subscription_deleted ? goTo(visit, '/recipients', 'erased') : customerGone(visit);
};
