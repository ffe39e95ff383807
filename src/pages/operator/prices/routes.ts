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
import { get, post } from '../../dashboard/route.ts';
import { type Flash, type Flashes, flashIn } from '../../kit/flash.ts';
import { EMPTY_FORM, type RefusedForm, typedForm } from '../../kit/typedForm.ts';
import { pricesPage } from './views.tsx';

const FLASHES = {
  price_set: ['good', 'The price was set. It holds from the next push on.'],
  price_same: ['waiting', 'Nothing was changed: this was the price already.'],
} satisfies Flashes;

/** What a text or WhatsApp message costs, by country. */
export function priceRoutes({ pool, clock, site }: DashboardContext): OperatorRoute[] {
  const path = '/dashboard/operator/prices';
  const send = async (
    visit: Visit,
    reply: FastifyReply,
    { flash = null, form = EMPTY_FORM }: { flash?: Flash | null; form?: RefusedForm },
  ): Promise<FastifyReply> => {
    const prices = await listPrices(pool);
    const status = form === EMPTY_FORM ? 200 : 422;
    return sendDashboardPage(reply, status, pricesPage({ site, visit, prices, flash, form }));
  };
  return [
    get(path, 'operator.pages', (visit, request, reply) =>
      send(visit, reply, { flash: flashIn(request, FLASHES) }),
    ),
    post(path, 'operator.pages', async (visit, request, reply) => {
      const form = typedForm(request);
      const code = form.required('country', 'The country', country);
      const credits = form.required('credits', 'The price', count(1, MAX_CREDITS_PER_MESSAGE));
      if (code === undefined || credits === undefined)
        return send(visit, reply, { form: form.refused() ?? EMPTY_FORM });
      const asked = { country: code, credits, actor: actingMember(visit.session.memberId) };
      const changed = await transaction(pool, (tx) => changePrice(tx, clock.now(), asked));
      const flash: keyof typeof FLASHES = changed ? 'price_set' : 'price_same';
      return reply.redirect(site.to(`${path}?flash=${flash}`), 303);
    }),
  ];
}
