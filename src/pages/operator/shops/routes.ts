import type { FastifyRequest } from 'fastify';
import { actingMember } from '../../../businesses/audit.ts';
import { MODES } from '../../../contract/channels.ts';
import { businessName, count, countries, email, oneOf } from '../../../kit/typedValues.ts';
import { DEFAULT_LANGUAGE, LANGUAGES } from '../../../language/languages.ts';
import { type DashboardContext, type OperatorRoute, sendDashboardPage } from '../../dashboard/context.ts';
import { get, post } from '../../dashboard/route.ts';
import { queryOf } from '../../kit/request.ts';
import { EMPTY_FORM, type TypedForm, typedForm } from '../../kit/typedForm.ts';
import { openShop } from './actions.ts';
import { newShopPage } from './newShop.tsx';
import { findShopById, readShops, warningsOf } from './reads.ts';
import { operatorShopsPage } from './views.tsx';

const PAGE_SIZE = 25;
const FIND_MAX = 200;

/** The list of all shops, and creating one. */
export function shopListRoutes({ pool, clock, site }: DashboardContext): OperatorRoute[] {
  const newPath = '/dashboard/operator/shops/new';
  return [
    get('/dashboard/operator', 'operator.pages', async (visit, request, reply) => {
      const { find, cursor } = listQuery(request);
      const id = find === null ? null : await findShopById(pool, find);
      if (id !== null) return reply.redirect(site.to(`/dashboard/operator/shops/${id}`), 303);
      const list = await readShops(pool, find, cursor, PAGE_SIZE);
      const now = clock.now();
      const warnings = await warningsOf(pool, list, now);
      return sendDashboardPage(
        reply,
        200,
        operatorShopsPage({ site, visit, list, warnings, find, cursor, now }),
      );
    }),
    get(newPath, 'operator.grant', async (visit, _request, reply) =>
      sendDashboardPage(reply, 200, newShopPage({ site, visit, form: EMPTY_FORM })),
    ),
    post(newPath, 'operator.grant', async (visit, request, reply) => {
      const form = typedForm(request);
      const asked = shopIn(form);
      if (asked === null)
        return sendDashboardPage(
          reply,
          422,
          newShopPage({ site, visit, form: form.refused() ?? EMPTY_FORM }),
        );
      const { businessId } = await openShop({ pool, clock }, asked, actingMember(visit.session.memberId));
      return reply.redirect(site.to(`/dashboard/operator/shops/${businessId}?flash=created`), 303);
    }),
  ];
}

function listQuery(request: FastifyRequest): { find: string | null; cursor: string | null } {
  const { find = '', cursor = null } = queryOf(request);
  return { find: find.trim().slice(0, FIND_MAX) || null, cursor };
}

/** Null: something is wrong, and the form says what. */
function shopIn(form: TypedForm) {
  const name = form.required('name', 'The name', businessName);
  const ownerEmail = form.required('owner', 'The address of the owner', email);
  const credits = form.optional('credits', 'The number of credits', count(0));
  const smsMode = form.required('sms', 'Texts', oneOf(MODES));
  const whatsappMode = form.required('whatsapp', 'WhatsApp', oneOf(MODES));
  const allowed = form.optional('countries', 'Countries', countries);
  const contactEmail = form.optional('contact', 'The contact address', email);
  const language = form.optional('language', 'The language', oneOf(LANGUAGES));
  const isWrong = [
    name,
    ownerEmail,
    credits,
    smsMode,
    whatsappMode,
    allowed,
    contactEmail,
    language,
  ].includes(undefined);
  if (isWrong || name === undefined || ownerEmail === undefined || !smsMode || !whatsappMode) return null;
  return {
    name,
    ownerEmail,
    credits: credits ?? 0,
    smsMode,
    whatsappMode,
    countries: allowed ?? null,
    contactEmail: contactEmail ?? null,
    language: language ?? DEFAULT_LANGUAGE,
  };
}
