import { checkDomain } from '../../../businesses/domains/check.ts';
import { newDkimKey, signsHere } from '../../../businesses/domains/records.ts';
import { addEmailSender } from '../../../businesses/senders.ts';
import { transaction } from '../../../db/transaction.ts';
import type { DashboardContext, OperatorRoute } from '../../dashboard/context.ts';
import { nothingHere, post } from '../../dashboard/route.ts';
import { formOf } from '../../kit/request.ts';
import { readForm } from '../../kit/typedForm.ts';
import { ADDRESS_FORM } from '../fields.ts';
import { shopRoute, showShop, toShop } from './shopRoutes.ts';

/** What an operator does about the domain of a shop's emails. */
export function domainRoutes(context: DashboardContext): OperatorRoute[] {
  const { pool, clock, sealer, operator } = context;
  return [
    shopRoute(context, post, '/domain', 'operator.pages', async (act, visit, request) => {
      if (!signsHere(operator.providerNames.email)) throw nothingHere();
      const { values, ...refused } = readForm(formOf(request), ADDRESS_FORM);
      if (values === null) return showShop(context, visit, act, refused);
      const key = await newDkimKey();
      const { businessId, actor } = act;
      await transaction(pool, (tx) =>
        addEmailSender(tx, clock.now(), sealer, { businessId, actor, address: values.email, key }),
      );
      await checkDomain(context, businessId, actor);
      return toShop(act, 'domain_added');
    }),
    shopRoute(context, post, '/domain/check', 'operator.pages', async (act) => {
      const state = await checkDomain(context, act.businessId, act.actor);
      return toShop(act, state === null ? 'domain_not_checked' : 'domain_checked');
    }),
  ];
}
