import { type MemberRole, memberRoles } from '../../../members/permissions.ts';
import type { ListedMember } from '../../../members/sql.ts';
import { Badge, FlashNote, LinkButton, Panel, ZonedTime } from '../../kit/components.tsx';
import { Checkboxes, FormField, PostForm, SelectField } from '../../kit/forms.tsx';
import { fieldState, type RefusedForm } from '../../kit/typedForm.ts';
import { confirmPage } from '../confirm.tsx';
import type { ShopVisit } from '../context.ts';
import type { Page } from '../layout.tsx';
import { settingsHead } from '../settings/nav.tsx';

const ROLES: Readonly<Record<MemberRole, readonly [title: string, allows: string]>> = {
  owner: ['Owner', 'everything, also keys, settings, members and erasure'],
  member: ['Member', 'messages, customers and replies'],
  viewer: ['Viewer', 'sees everything but secrets, and changes nothing'],
};
const roleOptions = memberRoles.map((role) => [role, ROLES[role].join(': ')] as const);

export function membersPage(visit: ShopVisit, members: readonly ListedMember[], form: RefusedForm): Page {
  const mayManage = visit.may('member.manage');
  const path = visit.to('/settings/members');
  return {
    title: 'Members',
    at: 'settings',
    heading: settingsHead(visit, 'members'),
    children: (
      <>
        <Panel id="members" title="Who may sign in">
          {members.length === 0 && <p>Nobody but the operator yet. Add somebody below.</p>}
          <ul class="rows">
            {members.map((member) => (
              <li class="row">
                {memberFacts(visit, member)}
                {mayManage && (
                  <span class="acts">
                    <LinkButton
                      href={`${path}/${member.id}`}
                      label="Role …"
                      about={`Change the role of ${member.email} …`}
                    />
                    <LinkButton
                      href={`${path}/${member.id}/remove`}
                      label="Remove …"
                      about={`Remove ${member.email} …`}
                    />
                  </span>
                )}
              </li>
            ))}
          </ul>
          <p class="hint">
            {`They sign in at ${visit.site.publicUrl}/dashboard: there they type their address and get a mail with a link. There is no password.`}
          </p>
        </Panel>
        {mayManage ? (
          newMember(visit, form)
        ) : (
          <p class="hint">An owner of the shop can add and remove members.</p>
        )}
      </>
    ),
  };
}

const newMember = (visit: ShopVisit, form: RefusedForm) => (
  <Panel id="add" title="Add a member">
    <PostForm visit={visit} action={visit.to('/settings/members')} label="Add the member">
      <FormField
        {...fieldState(form, 'email')}
        label="Email address"
        type="email"
        autocomplete="off"
        required
      />
      <SelectField
        {...fieldState(form, 'role', 'member')}
        label="Role"
        options={roleOptions}
        hint="To make somebody an owner, you must have signed in within the last ten minutes."
      />
      <InviteCheckbox form={form} />
    </PostForm>
  </Panel>
);

/** Ticked unless it was unticked. */
export const InviteCheckbox = ({ form }: { form: RefusedForm }) => (
  <Checkboxes
    id="invite"
    label="Invitation"
    options={[{ value: 'email', label: 'Send an invitation by email' }]}
    chosen={[fieldState(form, 'invite', 'email').value]}
    hint="It names the shop and leads to the sign-in page. Without it, tell them the address yourself."
  />
);

function memberFacts({ session }: ShopVisit, { id, email, role, since, last_seen_at: seen }: ListedMember) {
  return (
    <span class="key-facts">
      <strong>{email}</strong> {id === session.memberId && '(you) '}
      <Badge tone={role === 'owner' ? 'good' : 'plain'} text={ROLES[role][0]} />
      <span class="hint">
        Member since <ZonedTime at={since} /> ·{' '}
        {seen === null ? 'Not seen here yet' : ['Last seen ', <ZonedTime at={seen} />]}
      </span>
    </span>
  );
}

const LAST_OWNER =
  'Nothing was changed: this is the last owner of the shop. Make somebody else an owner first.';

/** Changes what a member may do. */
export function memberPage(visit: ShopVisit, member: ListedMember, isLastOwner = false): Page {
  const path = visit.to('/settings/members');
  return confirmPage(visit, {
    title: 'Change a role',
    at: 'settings',
    question: 'Change the role',
    action: `${path}/${member.id}`,
    label: 'Save the role',
    back: { href: path, label: 'Back to the members' },
    children: (
      <>
        {isLastOwner && <FlashNote tone="bad" text={LAST_OWNER} />}
        {memberFacts(visit, member)}
        <SelectField
          id="role"
          label="Role"
          value={member.role}
          options={roleOptions}
          hint="It holds from their next page on."
        />
      </>
    ),
  });
}

export function removeMemberPage(visit: ShopVisit, member: ListedMember, isLastOwner = false): Page {
  const path = visit.to('/settings/members');
  const isYou = member.id === visit.session.memberId;
  return confirmPage(visit, {
    title: 'Remove a member',
    at: 'settings',
    question: isYou ? 'Leave this shop?' : 'Remove this member?',
    action: `${path}/${member.id}/remove`,
    label: isYou ? 'Leave the shop' : 'Remove the member',
    isDangerous: true,
    back: { href: path, label: 'Back to the members' },
    children: (
      <>
        {isLastOwner && <FlashNote tone="bad" text={LAST_OWNER} />}
        {memberFacts(visit, member)}
        <p>
          This shop is closed to {isYou ? 'you' : 'them'} at once. Keys that {isYou ? 'you' : 'they'} made go
          on working: revoke them under API keys if they should not.
        </p>
      </>
    ),
  });
}
