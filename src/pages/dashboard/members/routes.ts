import type { FastifyReply, FastifyRequest } from 'fastify';
import { actingMember } from '../../../businesses/audit.ts';
import type { Client } from '../../../db/pool.ts';
import { transaction } from '../../../db/transaction.ts';
import { parseEmailAddress } from '../../../kit/emailAddress.ts';
import { OperatorError } from '../../../kit/errors.ts';
import { addMember, LastOwner, removeMember } from '../../../members/members.ts';
import { type Action, type MemberRole, memberRoles } from '../../../members/permissions.ts';
import { type ListedMember, listMembersOf } from '../../../members/sql.ts';
import { type Flashes, flashIn } from '../../kit/flash.ts';
import { formOf, paramOf } from '../../kit/request.ts';
import { type DashboardContext, type ShopRoute, type ShopVisit, sendDashboardPage } from '../context.ts';
import { get, nothingHere, post } from '../route.ts';
import { memberPage, removeMemberPage } from './memberView.tsx';
import { type MemberFormState, membersPage } from './views.tsx';

const FLASHES = {
  added: ['good', 'The member was added. They sign in with their address, as it says below.'],
  role_changed: ['good', 'The role was changed. It holds from their next page on.'],
  removed: ['good', 'The member was removed. This shop is closed to them from now on.'],
  same: ['waiting', 'Nothing was changed: this was their role already.'],
} satisfies Flashes;

const ATTEMPTS = 3;
const TYPED_MAX = 400;

/** Who may sign in to the shop's dashboard, and what they may do there. */
export function memberRoutes({ pool, clock, site }: DashboardContext): ShopRoute[] {
  const path = '/dashboard/:business_id/settings/members';
  const pathOf = ({ shop }: ShopVisit): string => `/dashboard/${shop.id}/settings/members`;
  const leadTo = (reply: FastifyReply, visit: ShopVisit, flash: string) =>
    reply.redirect(site.to(`${pathOf(visit)}?flash=${flash}`), 303);
  const inTransaction = <T>(work: (tx: Client) => Promise<T>): Promise<T> =>
    transaction(pool, work, { attempts: ATTEMPTS });

  const sendList = async (
    visit: ShopVisit,
    reply: FastifyReply,
    status: number,
    state: MemberFormState,
  ): Promise<FastifyReply> => {
    const members = await listMembersOf(pool, visit.shop.id);
    return sendDashboardPage(reply, status, membersPage({ site, visit, members, ...state }));
  };
  const findNamed = async (visit: ShopVisit, request: FastifyRequest): Promise<ListedMember | undefined> => {
    const id = paramOf(request, 'member_id');
    return (await listMembersOf(pool, visit.shop.id)).find((member) => member.id === id);
  };
  const memberNamed = async (visit: ShopVisit, request: FastifyRequest): Promise<ListedMember> => {
    const member = await findNamed(visit, request);
    if (!member) throw nothingHere();
    return member;
  };
  /** To make somebody an owner is more than to add them, and so is to change or remove an owner. */
  const actionOf = async (visit: ShopVisit, request: FastifyRequest): Promise<Action> => {
    const roles = [(await findNamed(visit, request))?.role, roleIn(formOf(request))];
    return roles.includes('owner') ? 'owner.manage' : 'member.manage';
  };

  return [
    get(path, 'shop.view', (visit, request, reply) =>
      sendList(visit, reply, 200, { flash: flashIn(request, FLASHES) }),
    ),
    post(path, { action: 'member.manage', actionOf }, async (visit, request, reply) => {
      const form = formOf(request);
      const typed = (form.get('email') ?? '').trim().slice(0, TYPED_MAX);
      const role = roleIn(form);
      const email = parseEmailAddress(typed);
      const state = { flash: null, typed: { email: typed, role: role ?? 'member' } };
      if (email === null)
        return sendList(visit, reply, 422, { ...state, fault: 'This is not an email address.' });
      if (role === null) return sendList(visit, reply, 422, { ...state, fault: 'Choose one of the roles.' });
      const members = await listMembersOf(pool, visit.shop.id);
      if (members.some((member) => member.email === email))
        return sendList(visit, reply, 422, {
          ...state,
          fault: 'This person is a member already. Change their role in the list.',
        });
      try {
        await inTransaction((tx) =>
          addMember(tx, clock.now(), { businessId: visit.shop.id, email, role }, actorOf(visit)),
        );
      } catch (error) {
        if (!(error instanceof OperatorError)) throw error;
        return sendList(visit, reply, 422, { ...state, fault: error.message });
      }
      return leadTo(reply, visit, 'added');
    }),
    get(`${path}/:member_id`, { action: 'member.manage', actionOf }, async (visit, request, reply) => {
      const member = await memberNamed(visit, request);
      return sendDashboardPage(reply, 200, memberPage({ site, visit, member }));
    }),
    post(`${path}/:member_id`, { action: 'member.manage', actionOf }, async (visit, request, reply) => {
      const [member, role] = [await memberNamed(visit, request), roleIn(formOf(request))];
      if (role === null) throw nothingHere();
      if (member.role === role) return leadTo(reply, visit, 'same');
      try {
        const { email } = member;
        await inTransaction((tx) =>
          addMember(tx, clock.now(), { businessId: visit.shop.id, email, role }, actorOf(visit)),
        );
        return leadTo(reply, visit, 'role_changed');
      } catch (error) {
        if (!(error instanceof LastOwner)) throw error;
        return sendDashboardPage(reply, 409, memberPage({ site, visit, member, isLastOwner: true }));
      }
    }),
    get(`${path}/:member_id/remove`, { action: 'member.manage', actionOf }, async (visit, request, reply) => {
      const member = await memberNamed(visit, request);
      return sendDashboardPage(reply, 200, removeMemberPage({ site, visit, member }));
    }),
    post(
      `${path}/:member_id/remove`,
      { action: 'member.manage', actionOf },
      async (visit, request, reply) => {
        const member = await memberNamed(visit, request);
        try {
          const { email } = member;
          await inTransaction((tx) =>
            removeMember(tx, clock.now(), { businessId: visit.shop.id, email }, actorOf(visit)),
          );
          const hasLeft = member.id === visit.session.memberId && visit.role !== 'operator';
          return hasLeft ? reply.redirect(site.to('/dashboard'), 303) : leadTo(reply, visit, 'removed');
        } catch (error) {
          if (!(error instanceof OperatorError)) throw error;
          // Removed in the meantime.
          if (!(error instanceof LastOwner)) throw nothingHere();
          return sendDashboardPage(reply, 409, removeMemberPage({ site, visit, member, isLastOwner: true }));
        }
      },
    ),
  ];
}

const actorOf = ({ session }: ShopVisit): string => actingMember(session.memberId);

const roleIn = (form: URLSearchParams): MemberRole | null =>
  memberRoles.find((role) => role === form.get('role')) ?? null;
