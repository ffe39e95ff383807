import type { FastifyRequest } from 'fastify';
import { parseEmailAddress } from '../../../kit/emailAddress.ts';
import { OperatorError } from '../../../kit/errors.ts';
import { mayInvite } from '../../../members/invitation.ts';
import { addMember, LastOwner, removeMember } from '../../../members/members.ts';
import { type Action, type MemberRole, memberRoles } from '../../../members/permissions.ts';
import { type ListedMember, listMembersOf, type MemberRow } from '../../../members/sql.ts';
import type { Flashes } from '../../kit/flash.ts';
import { formOf, paramOf } from '../../kit/request.ts';
import { choiceField, EMPTY_FORM, type RefusedForm, readForm, textField } from '../../kit/typedForm.ts';
import {
  type Answer,
  type DashboardContext,
  memberTransaction,
  type ShopRoute,
  type ShopVisit,
} from '../context.ts';
import { get, goTo, nothingHere, onError, orNothingHere, post } from '../route.ts';
import { memberPage, membersPage, removeMemberPage } from './views.tsx';

const FLASHES = {
  added: ['good', 'The member was added. They sign in with their address, as it says below.'],
  invited: ['good', 'The member was added. An invitation is on its way to them.'],
  not_invited: [
    'waiting',
    'The member was added, but no invitation was sent: an address gets one a day at most. Tell them where to sign in, as it says below.',
  ],
  role_changed: ['good', 'The role was changed. It holds from their next page on.'],
  removed: ['good', 'The member was removed. This shop is closed to them from now on.'],
  same: ['waiting', 'Nothing was changed: this was their role already.'],
} satisfies Flashes;

/** Longer than any address. */
const TYPED_MAX = 400;

const MEMBER_FORM = {
  email: {
    max: TYPED_MAX,
    wrong: 'This is not an email address.',
    parse: (text: string) => parseEmailAddress(text) ?? undefined,
  },
  role: choiceField(memberRoles, 'Choose one of the roles.'),
  invite: textField(TYPED_MAX),
};

const path = '/settings/members';
const leadTo = (visit: ShopVisit, flash: keyof typeof FLASHES) => goTo(visit, path, flash);

const setRole = (
  { pool, clock }: DashboardContext,
  { shop, actor }: ShopVisit,
  email: string,
  role: MemberRole,
) => memberTransaction(pool, (tx) => addMember(tx, clock.now(), { businessId: shop.id, email, role }, actor));

const showList = async ({ pool }: DashboardContext, visit: ShopVisit, form: RefusedForm) =>
  membersPage(visit, await listMembersOf(pool, visit.shop.id), form);

/** Who may sign in to the shop's dashboard, and what they may do there. */
export function memberRoutes(context: DashboardContext): ShopRoute[] {
  const findMember = async (visit: ShopVisit, request: FastifyRequest) => {
    const id = paramOf(request, 'member_id');
    return (await listMembersOf(context.pool, visit.shop.id)).find((member) => member.id === id);
  };
  /** To make somebody an owner is more than to add them, and so is to change or remove an owner. */
  const actionOf = async (visit: ShopVisit, request: FastifyRequest): Promise<Action> => {
    const roles = [(await findMember(visit, request))?.role, formOf(request).get('role')];
    return roles.includes('owner') ? 'owner.manage' : 'member.manage';
  };
  const rules = { action: 'member.manage', actionOf } as const;
  const onMember =
    (handle: MemberHandler): ShopRoute['handle'] =>
    async (visit, request) => {
      const member = orNothingHere(await findMember(visit, request));
      return handle({ visit, member, request }, context);
    };

  return [
    get(path, { action: 'shop.view', flashes: FLASHES }, (visit) => showList(context, visit, EMPTY_FORM)),
    post(path, rules, (visit, request) => submitMember(context, visit, request)),
    get(
      `${path}/:member_id`,
      rules,
      onMember(async ({ visit, member }) => memberPage(visit, member)),
    ),
    post(`${path}/:member_id`, rules, onMember(changeRole)),
    get(
      `${path}/:member_id/remove`,
      rules,
      onMember(async ({ visit, member }) => removeMemberPage(visit, member)),
    ),
    post(`${path}/:member_id/remove`, rules, onMember(remove)),
  ];
}

/** Mails an invitation to a new member, if they may have one. Returns what the page then says. */
export async function inviteMember(
  { pool, hash, clock, invitations, sendInvitation }: DashboardContext,
  shop: { id: string; name: string },
  member: MemberRow,
): Promise<'invited' | 'not_invited'> {
  if (invitations.isSpent(shop.id) || !(await mayInvite({ db: pool, hash }, member.email, clock.now())))
    return 'not_invited';
  invitations.spend(shop.id);
  void sendInvitation({
    to: member.email,
    memberId: member.id,
    businessId: shop.id,
    businessName: shop.name,
  });
  return 'invited';
}

interface MemberAction {
  visit: ShopVisit;
  member: ListedMember;
  request: FastifyRequest;
}
type MemberHandler = (action: MemberAction, context: DashboardContext) => Promise<Answer>;

async function changeRole({ visit, member, request }: MemberAction, context: DashboardContext) {
  const role = orNothingHere(memberRoles.find((one) => one === formOf(request).get('role')));
  if (member.role === role) return leadTo(visit, 'same');
  return setRole(context, visit, member.email, role).then(
    () => leadTo(visit, 'role_changed'),
    onError(LastOwner, () => ({ ...memberPage(visit, member, true), status: 409 })),
  );
}

async function remove({ visit, member }: MemberAction, { pool, clock }: DashboardContext) {
  const { shop, session, role, actor } = visit;
  try {
    const leaving = { businessId: shop.id, email: member.email };
    await memberTransaction(pool, (tx) => removeMember(tx, clock.now(), leaving, actor));
    const hasLeft = member.id === session.memberId && role !== 'operator';
    return hasLeft ? { goTo: '/dashboard' } : leadTo(visit, 'removed');
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    // Removed in the meantime.
    if (!(error instanceof LastOwner)) throw nothingHere();
    return { ...removeMemberPage(visit, member, true), status: 409 };
  }
}

async function submitMember(context: DashboardContext, visit: ShopVisit, request: FastifyRequest) {
  const { values, ...form } = readForm(formOf(request), MEMBER_FORM);
  const refuse = async (faults: RefusedForm['faults']) => ({
    ...(await showList(context, visit, { ...form, faults })),
    status: 422,
  });
  if (values === null) return refuse(form.faults);
  const { email, role, invite: isInvited } = values;
  const members = await listMembersOf(context.pool, visit.shop.id);
  if (members.some((member) => member.email === email))
    return refuse({ email: 'This address is a member’s already. Change their role in the list.' });
  return setRole(context, visit, email, role).then(
    async (member) => leadTo(visit, isInvited ? await inviteMember(context, visit.shop, member) : 'added'),
    onError(OperatorError, ({ message }) => refuse({ email: message })),
  );
}
