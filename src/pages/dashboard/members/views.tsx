import { isAllowed, type MemberRole, memberRoles } from '../../../members/permissions.ts';
import type { ListedMember } from '../../../members/sql.ts';
import { Badge, FlashNote, ZonedTime } from '../../kit/components.tsx';
import type { Flash } from '../../kit/flash.ts';
import { ActionForm, FormField, SelectField } from '../../kit/forms.tsx';
import type { Site } from '../../kit/page.tsx';
import type { ShopVisit } from '../context.ts';
import { dashboardPage } from '../layout.tsx';
import { SettingsHead } from '../settings/nav.tsx';

export const ROLE_WORDS: Readonly<Record<MemberRole, string>> = {
  owner: 'Owner',
  member: 'Member',
  viewer: 'Viewer',
};

const ROLE_OPTIONS = {
  owner: 'Owner: everything, also keys, settings, members and erasure',
  member: 'Member: messages, customers and replies',
  viewer: 'Viewer: sees everything but secrets, and changes nothing',
} as const satisfies Record<MemberRole, string>;
export const roleOptions = memberRoles.map((role) => [role, ROLE_OPTIONS[role]] as const);

/** The state of the form that adds a member. */
export interface MemberFormState {
  flash: Flash | null;
  typed?: { email: string; role: MemberRole };
  fault?: string;
}

interface MembersProps extends MemberFormState {
  site: Site;
  visit: ShopVisit;
  members: readonly ListedMember[];
}

export function membersPage({ site, visit, members, flash, typed, fault }: MembersProps): string {
  const mayManage = isAllowed(visit.role, 'member.manage');
  const path = site.to(`/dashboard/${visit.shop.id}/settings/members`);
  return dashboardPage({
    site,
    title: 'Members',
    visit,
    at: 'settings',
    children: (
      <>
        <SettingsHead site={site} visit={visit} at="members" />
        {flash && <FlashNote {...flash} />}
        <section class="panel" aria-labelledby="members">
          <h2 id="members">Who may sign in</h2>
          {members.length === 0 && <p>Nobody but the operator yet. Add somebody below.</p>}
          <ul class="rows">
            {members.map((member) => (
              <li class="row">
                <MemberFacts member={member} isYou={member.id === visit.session.memberId} />
                {mayManage && (
                  <span class="acts">
                    <a
                      class="button quiet"
                      href={`${path}/${member.id}`}
                      aria-label={`Change the role of ${member.email} …`}
                    >
                      Role …
                    </a>
                    <a
                      class="button quiet"
                      href={`${path}/${member.id}/remove`}
                      aria-label={`Remove ${member.email} …`}
                    >
                      Remove …
                    </a>
                  </span>
                )}
              </li>
            ))}
          </ul>
          <p class="hint">
            {`They sign in at ${site.publicUrl}/dashboard: there they type their address and get a mail with a link. There is no password.`}
          </p>
        </section>
        {mayManage ? (
          <ActionForm action={path} formToken={visit.session.formToken}>
            <section class="panel" aria-labelledby="add">
              <h2 id="add">Add a member</h2>
              <FormField
                id="email"
                label="Email address"
                type="email"
                value={typed?.email}
                fault={fault}
                autocomplete="off"
                hint="We send no mail yet: tell them the address above."
                required
              />
              <SelectField
                id="role"
                label="Role"
                value={typed?.role ?? 'member'}
                options={roleOptions}
                hint="To make somebody an owner, you must have signed in within the last ten minutes."
              />
              <div>
                <button class="button" type="submit">
                  Add the member
                </button>
              </div>
            </section>
          </ActionForm>
        ) : (
          <p class="hint">An owner of the shop can add and remove members.</p>
        )}
      </>
    ),
  });
}

export function MemberFacts({
  member,
  isYou = false,
}: {
  member: ListedMember;
  isYou?: boolean;
}): JSX.Element {
  const { email, role, since, last_seen_at: seen } = member;
  return (
    <span class="key-facts">
      <strong>{email}</strong> {isYou && '(you) '}
      <Badge tone={role === 'owner' ? 'good' : 'plain'} text={ROLE_WORDS[role]} />
      <span class="hint">
        Member since <ZonedTime at={since.toISOString()} /> ·{' '}
        {seen === null ? (
          'Not seen here yet'
        ) : (
          <>
            Last seen <ZonedTime at={seen.toISOString()} />
          </>
        )}
      </span>
    </span>
  );
}
