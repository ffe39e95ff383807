import type { ListedPasskey } from '../../../members/passkeysSql.ts';
import type { ListedSession, ShopRow } from '../../../members/sql.ts';
import { Badge, EmptyState, Panel, ZonedTime } from '../../kit/components.tsx';
import { PostForm } from '../../kit/forms.tsx';
import type { Visit } from '../context.ts';
import type { Page } from '../layout.tsx';
import { PasskeyPanel } from '../signIn/passkeys.tsx';

/** The member's own sessions and passkeys; null: there can be no passkeys at this address. */
export function accountPage(
  visit: Visit,
  sessions: readonly ListedSession[],
  passkeys: readonly ListedPasskey[] | null,
): Page {
  const { site, session } = visit;
  return {
    title: 'Account',
    children: (
      <>
        <p>
          Signed in as <strong>{session.email}</strong>. <a href={site.to('/dashboard/shops')}>Your shops</a>
        </p>
        <Panel id="sessions" title="Where you are signed in">
          <ul class="rows">
            {sessions.map((one) => (
              <li class="row">
                <span>
                  <strong>{one.browser}</strong>{' '}
                  {one.id === session.id && <Badge tone="good" text="This browser" />}
                  <span class="hint">
                    Signed in <ZonedTime at={one.created_at} />, last used <ZonedTime at={one.last_seen_at} />
                  </span>
                </span>
                {one.id !== session.id && (
                  <PostForm
                    visit={visit}
                    action={site.to(`/dashboard/account/sessions/${one.id}/end`)}
                    label="Sign out"
                    look="quiet"
                    about={`Sign out ${one.browser}`}
                  />
                )}
              </li>
            ))}
          </ul>
        </Panel>
        <PasskeyPanel visit={visit} passkeys={passkeys} />
        <PostForm visit={visit} action={site.to('/dashboard/sign-out')} label="Sign out of this browser" />
      </>
    ),
  };
}

/** The shops that the member can switch to. */
export const shopsPage = ({ site, session }: Visit, shops: readonly ShopRow[]): Page => ({
  title: 'Your shops',
  children:
    shops.length === 0 ? (
      <EmptyState title="There is no shop yet">
        {session.operator ? (
          <p>
            <a href={site.to('/dashboard/operator/shops/new')}>Create the first one</a>, with the address of
            its owner.
          </p>
        ) : (
          <p>An owner of a shop, or an operator, can add you to theirs.</p>
        )}
      </EmptyState>
    ) : (
      <ul class="cards">
        {shops.map((shop) => (
          <li>
            <a href={site.to(`/dashboard/${shop.id}`)}>
              <strong>{shop.name}</strong>
              <span>{shop.role === null ? 'As an operator' : `You are ${ROLE_WORDS[shop.role]}`}</span>
            </a>
          </li>
        ))}
      </ul>
    ),
});

const ROLE_WORDS = { owner: 'an owner', member: 'a member', viewer: 'a viewer' } as const;
