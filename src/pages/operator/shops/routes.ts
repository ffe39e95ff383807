import { actingMember } from '../../../businesses/audit.ts';
import { MODES } from '../../../contract/channels.ts';
import { businessName, count, countries, email, oneOf } from '../../../kit/typedValues.ts';
import { DEFAULT_LANGUAGE, LANGUAGES } from '../../../language/languages.ts';
import type { DashboardContext, OperatorRoute } from '../../dashboard/context.ts';
import { get, post } from '../../dashboard/route.ts';
import { queryOf } from '../../kit/request.ts';
import { EMPTY_FORM, type TypedForm, typedForm } from '../../kit/typedForm.ts';
import { areGiven } from '../fields.ts';
import { openShop } from './actions.ts';
import { newShopPage } from './forms.tsx';
import { findShopById, readShops, warningsOf } from './reads.ts';
import { operatorShopsPage } from './views.tsx';

const PAGE_SIZE = 25;
const FIND_MAX = 200;

/** The list of all shops, and creating one. */
export function shopListRoutes({ pool, clock }: DashboardContext): OperatorRoute[] {
  const newPath = '/dashboard/operator/shops/new';
  return [
    get('/dashboard/operator', 'operator.pages', async (visit, request) => {
      const { find: typed = '', cursor = null } = queryOf(request);
      const find = typed.trim().slice(0, FIND_MAX) || null;
      const id = find === null ? null : await findShopById(pool, find);
      if (id !== null) return { goTo: `/dashboard/operator/shops/${id}` };
      const list = await readShops(pool, find, cursor, PAGE_SIZE);
      const now = clock.now();
      const warnings = await warningsOf(pool, list, now);
      return operatorShopsPage(visit, { list, warnings, find, cursor, now });
    }),
    get(newPath, 'operator.grant', async (visit) => newShopPage(visit, EMPTY_FORM)),
    post(newPath, 'operator.grant', async (visit, request) => {
      const form = typedForm(request);
      const wanted = shopIn(form);
      if (wanted === null) return { ...newShopPage(visit, form.refused() ?? EMPTY_FORM), status: 422 };
      const { businessId } = await openShop({ pool, clock }, wanted, actingMember(visit.session.memberId));
      return { goTo: `/dashboard/operator/shops/${businessId}?flash=created` };
    }),
  ];
}

/** Null: something is wrong, and the form says what. */
function shopIn(form: TypedForm) {
  const asked = {
    name: form.required('name', 'The name', businessName),
    ownerEmail: form.required('owner', 'The address of the owner', email),
    credits: form.optional('credits', 'The number of credits', count(0)),
    smsMode: form.required('sms', 'Texts', oneOf(MODES)),
    whatsappMode: form.required('whatsapp', 'WhatsApp', oneOf(MODES)),
    countries: form.optional('countries', 'Countries', countries),
    contactEmail: form.optional('contact', 'The contact address', email),
    language: form.optional('language', 'The language', oneOf(LANGUAGES)),
  };
  if (!areGiven(asked)) return null;
  return { ...asked, credits: asked.credits ?? 0, language: asked.language ?? DEFAULT_LANGUAGE };
}
