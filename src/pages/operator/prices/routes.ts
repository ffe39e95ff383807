import type { FastifyReply } from 'fastify';
import { actingMember } from '../../../businesses/audit.ts';
import { changePrice, MAX_CREDITS_PER_MESSAGE } from '../../../businesses/prices.ts';
import { listPrices } from '../../../businesses/sql.ts';
import { transaction } from '../../../db/transaction.ts';
import { count, country } from '../../../kit/typedValues.ts';
import {
  type DashboardContext,
  type OperatorRoute,
  sendDashboardPage,
  type Visit,
} from '../../dashboard/context.ts';
import { queryOf } from '../../kit/request.ts';
import { EMPTY_FORM, type RefusedForm, typedForm } from '../typedForm.ts';
import { type DidToPrices, isDidToPrices, pricesPage } from './views.tsx';

/** What a text or WhatsApp message costs, by country. */
export function priceRoutes({ pool, clock, site }: DashboardContext): OperatorRoute[] {
  const path = '/dashboard/operator/prices';
  const send = async (
    visit: Visit,
    reply: FastifyReply,
    { did = null, form = EMPTY_FORM }: { did?: DidToPrices | null; form?: RefusedForm },
  ): Promise<FastifyReply> => {
    const prices = await listPrices(pool);
    const status = form === EMPTY_FORM ? 200 : 422;
    return sendDashboardPage(reply, status, pricesPage({ site, visit, prices, did, form }));
  };
  return [
    {
      method: 'GET',
      path,
      action: 'operator.pages',
      handle: (visit, request, reply) => {
        const { did } = queryOf(request);
        return send(visit, reply, { did: isDidToPrices(did) ? did : null });
      },
    },
    {
      method: 'POST',
      path,
      action: 'operator.pages',
      async handle(visit, request, reply) {
        const form = typedForm(request);
        const code = form.required('country', 'The country', country);
        const credits = form.required('credits', 'The price', count(1, MAX_CREDITS_PER_MESSAGE));
        if (code === undefined || credits === undefined)
          return send(visit, reply, { form: form.refused() ?? EMPTY_FORM });
        const asked = { country: code, credits, actor: actingMember(visit.session.memberId) };
        const changed = await transaction(pool, (tx) => changePrice(tx, clock.now(), asked));
        const did: DidToPrices = changed ? 'price_set' : 'price_same';
        return reply.redirect(site.to(`${path}?did=${did}`), 303);
      },
    },
  ];
}
