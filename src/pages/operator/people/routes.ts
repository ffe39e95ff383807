import { actingMember } from '../../../businesses/audit.ts';
import { transaction } from '../../../db/transaction.ts';
import { addOperator } from '../../../members/members.ts';
import type { DashboardContext, OperatorRoute, Visit } from '../../dashboard/context.ts';
import type { Page } from '../../dashboard/layout.tsx';
import { get, post } from '../../dashboard/route.ts';
import type { Flashes } from '../../kit/flash.ts';
import { formOf, queryOf } from '../../kit/request.ts';
import { EMPTY_FORM, readForm } from '../../kit/typedForm.ts';
import { ADDRESS_FORM } from '../fields.ts';
import { findPerson, listOperators, readPeople } from './sql.ts';
import { newOperatorPage, type PeopleShown, peoplePage } from './views.tsx';

const FLASHES = {
  operator_added: ['good', 'They are an operator now, and can sign in with their address.'],
  operator_before: ['waiting', 'Nothing was changed: they were an operator before.'],
} satisfies Flashes;

const OPERATORS_LISTED = 200;

/** Everybody who may sign in, and who of them is an operator. */
export function peopleRoutes({ pool, clock }: DashboardContext): OperatorRoute[] {
  const path = '/dashboard/operator/people';
  const newPath = '/dashboard/operator/operators/new';

  const show = async (visit: Visit, shown: Omit<PeopleShown, 'operators'>): Promise<Page> =>
    peoplePage(visit, { ...shown, operators: await listOperators(pool, OPERATORS_LISTED) });

  return [
    get(path, { action: 'operator.pages', flashes: FLASHES }, async (visit, request) => {
      const { cursor = null } = queryOf(request);
      return show(visit, { list: await readPeople(pool, cursor), isPart: cursor !== null });
    }),
    // By POST, so that no address gets into a URL.
    post(path, 'operator.pages', async (visit, request) => {
      const { values, ...form } = readForm(formOf(request), ADDRESS_FORM);
      if (values === null)
        return { ...(await show(visit, { list: await readPeople(pool, null), form })), status: 422 };
      const list = { items: await findPerson(pool, values.email), next_cursor: null };
      return show(visit, { list, found: values.email });
    }),
    get(newPath, 'operator.grant', async (visit) => newOperatorPage(visit, EMPTY_FORM)),
    post(newPath, 'operator.grant', async (visit, request) => {
      const { values, ...form } = readForm(formOf(request), ADDRESS_FORM);
      if (values === null) return { ...newOperatorPage(visit, form), status: 422 };
      const [before] = await findPerson(pool, values.email);
      const actor = actingMember(visit.session.memberId);
      await transaction(pool, (tx) => addOperator(tx, clock.now(), values.email, actor));
      const flash: keyof typeof FLASHES = before?.operator_since ? 'operator_before' : 'operator_added';
      return { goTo: `${path}?flash=${flash}` };
    }),
  ];
}
