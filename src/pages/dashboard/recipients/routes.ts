import type { Flashes } from '../../kit/flash.ts';
import { paramOf, queryOf } from '../../kit/request.ts';
import { EMPTY_FORM, type RefusedForm } from '../../kit/typedForm.ts';
import type { DashboardContext, ShopRoute, ShopVisit } from '../context.ts';
import type { Page } from '../layout.tsx';
import { get } from '../route.ts';
import { readRecipient, readRecipients } from './reads.ts';
import { recipientPage } from './recipientView.tsx';
import { recipientsPage } from './views.tsx';

const FLASHES = {
  erased: ['good', 'The customer was erased, with their messages. What they stopped stays in force.'],
} satisfies Flashes;

const CUSTOMER_FLASHES = {
  number_set: ['good', 'The number was saved.'],
  number_same: ['waiting', 'Nothing was changed: this was their number already.'],
  number_cleared: ['good', 'The number was cleared.'],
  no_number: ['waiting', 'Nothing was changed: there was no number any more.'],
  sms_stopped: ['good', 'SMS is stopped. What was waiting does not go out.'],
  sms_stopped_before: ['waiting', 'Nothing was changed: SMS was stopped here before.'],
  whatsapp_stopped: ['good', 'WhatsApp is stopped. What was waiting does not go out.'],
  whatsapp_stopped_before: ['waiting', 'Nothing was changed: WhatsApp was stopped before.'],
  lifted: ['good', 'Lifted: the next message is mailed again.'],
  lifted_partly: ['waiting', 'Lifted as far as you may. There is still a reason against email, below.'],
  nothing_lifted: ['waiting', 'Nothing was changed: there was nothing that you can lift.'],
} satisfies Flashes;
export type RecipientFlash = keyof typeof CUSTOMER_FLASHES;

/** The newest customers, and a customer by id: addresses stay out of URLs. */
export function recipientRoutes(context: DashboardContext): ShopRoute[] {
  const { pool } = context;
  return [
    get('/recipients', { action: 'shop.view', flashes: FLASHES }, async (visit, request) => {
      const cursor = queryOf(request).cursor ?? null;
      return recipientsPage(visit, await readRecipients(pool, visit.shop.id, cursor), cursor);
    }),
    get('/recipients/:recipient_id', { action: 'shop.view', flashes: CUSTOMER_FLASHES }, (visit, request) =>
      showRecipient(context, visit, paramOf(request, 'recipient_id'), EMPTY_FORM),
    ),
  ];
}

/** Shows a customer, with what is wrong with a number that was typed. */
export const showRecipient = async (
  context: DashboardContext,
  visit: ShopVisit,
  id: string,
  form: RefusedForm,
): Promise<Page> => recipientPage({ visit, form, ...(await readRecipient(context, visit.shop.id, id)) });
