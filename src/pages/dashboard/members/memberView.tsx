import type { ListedMember } from '../../../members/sql.ts';
import { FlashNote } from '../../kit/components.tsx';
import { ConfirmSheet, SelectField } from '../../kit/forms.tsx';
import type { Site } from '../../kit/page.tsx';
import type { ShopVisit } from '../context.ts';
import { dashboardPage } from '../layout.tsx';
import { MemberFacts, roleOptions } from './views.tsx';

interface MemberProps {
  site: Site;
  visit: ShopVisit;
  member: ListedMember;
  isLastOwner?: boolean;
}

const LAST_OWNER =
  'Nothing was changed: this is the last owner of the shop. Make somebody else an owner first.';

/** Changes what a member may do. */
export function memberPage({ site, visit, member, isLastOwner = false }: MemberProps): string {
  const path = site.to(`/dashboard/${visit.shop.id}/settings/members`);
  return dashboardPage({
    site,
    title: 'Change a role',
    visit,
    at: 'settings',
    children: (
      <ConfirmSheet
        title="Change the role"
        action={`${path}/${member.id}`}
        formToken={visit.session.formToken}
        label="Save the role"
        back={{ href: path, label: 'Back to the members' }}
      >
        <div class="stack">
          {isLastOwner && <FlashNote tone="bad" text={LAST_OWNER} />}
          <MemberFacts member={member} isYou={member.id === visit.session.memberId} />
          <SelectField
            id="role"
            label="Role"
            value={member.role}
            options={roleOptions}
            hint="It holds from their next page on."
          />
        </div>
      </ConfirmSheet>
    ),
  });
}

export function removeMemberPage({ site, visit, member, isLastOwner = false }: MemberProps): string {
  const path = site.to(`/dashboard/${visit.shop.id}/settings/members`);
  const isYou = member.id === visit.session.memberId;
  return dashboardPage({
    site,
    title: 'Remove a member',
    visit,
    at: 'settings',
    children: (
      <ConfirmSheet
        title={isYou ? 'Leave this shop?' : 'Remove this member?'}
        action={`${path}/${member.id}/remove`}
        formToken={visit.session.formToken}
        label={isYou ? 'Leave the shop' : 'Remove the member'}
        isDangerous
        back={{ href: path, label: 'Back to the members' }}
      >
        <div class="stack">
          {isLastOwner && <FlashNote tone="bad" text={LAST_OWNER} />}
          <MemberFacts member={member} isYou={isYou} />
          <p>
            This shop is closed to {isYou ? 'you' : 'them'} at once. Keys that {isYou ? 'you' : 'they'} made
            go on working: revoke them under API keys if they should not.
          </p>
        </div>
      </ConfirmSheet>
    ),
  });
}
