import type { FastifyReply } from 'fastify';
import { actingMember } from '../../../businesses/audit.ts';
import { transaction } from '../../../db/transaction.ts';
import { email } from '../../../kit/typedValues.ts';
import { addOperator } from '../../../members/members.ts';
import {
  type DashboardContext,
  type OperatorRoute,
  sendDashboardPage,
  type Visit,
} from '../../dashboard/context.ts';
import { get, post } from '../../dashboard/route.ts';
import { type Flash, type Flashes, flashIn } from '../../kit/flash.ts';
import { queryOf } from '../../kit/request.ts';
import { EMPTY_FORM, type RefusedForm, typedForm } from '../../kit/typedForm.ts';
import { type PeopleList, readPeople } from './reads.ts';
import { findPerson, listOperators } from './sql.ts';
import { newOperatorPage, peoplePage } from './views.tsx';

const FLASHES = {
  operator_added: ['good', 'They are an operator now, and can sign in with their address.'],
  operator_before: ['waiting', 'Nothing was changed: they were an operator before.'],
} satisfies Flashes;

const PAGE_SIZE = 25;
const OPERATORS_LISTED = 200;

interface PeopleShown {
  list: PeopleList;
  cursor?: string | null;
  /** The address that was looked up. */
  asked?: string | null;
  flash?: Flash | null;
  form?: RefusedForm;
}

/** Everybody who may sign in, and who of them is an operator. */
export function peopleRoutes({ pool, clock, site }: DashboardContext): OperatorRoute[] {
  const path = '/dashboard/operator/people';
  const action = 'operator.pages';
  const newPath = '/dashboard/operator/operators/new';

  const send = async (
    visit: Visit,
    reply: FastifyReply,
    { list, cursor = null, asked = null, flash = null, form = EMPTY_FORM }: PeopleShown,
  ): Promise<FastifyReply> => {
    const operators = await listOperators(pool, OPERATORS_LISTED);
    const page = peoplePage({ site, visit, operators, list, cursor, asked, flash, form });
    return sendDashboardPage(reply, form === EMPTY_FORM ? 200 : 422, page);
  };

  return [
    get(path, action, async (visit, request, reply) => {
      const { cursor = null } = queryOf(request);
      const list = await readPeople(pool, cursor, PAGE_SIZE);
      return send(visit, reply, { list, cursor, flash: flashIn(request, FLASHES) });
    }),
    // By POST, so that no address gets into a URL.
    post(path, action, async (visit, request, reply) => {
      const form = typedForm(request);
      const address = form.required('email', 'This', email);
      if (address === undefined) {
        const list = await readPeople(pool, null, PAGE_SIZE);
        return send(visit, reply, { list, form: form.refused() ?? EMPTY_FORM });
      }
      const items = await findPerson(pool, address);
      return send(visit, reply, { list: { items, next_cursor: null }, asked: address });
    }),
    get(newPath, 'operator.grant', async (visit, _request, reply) =>
      sendDashboardPage(reply, 200, newOperatorPage({ site, visit, form: EMPTY_FORM })),
    ),
    post(newPath, 'operator.grant', async (visit, request, reply) => {
      const form = typedForm(request);
      const address = form.required('email', 'This', email);
      if (address === undefined) {
        const refused = form.refused() ?? EMPTY_FORM;
        return sendDashboardPage(reply, 422, newOperatorPage({ site, visit, form: refused }));
      }
      const [before] = await findPerson(pool, address);
      const actor = actingMember(visit.session.memberId);
      await transaction(pool, (tx) => addOperator(tx, clock.now(), address, actor));
      const flash: keyof typeof FLASHES = before?.operator_since ? 'operator_before' : 'operator_added';
      return reply.redirect(site.to(`${path}?flash=${flash}`), 303);
    }),
  ];
}
