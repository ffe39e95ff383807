import type { ListedPasskey } from '../../../members/passkeysSql.ts';
import type { ListedSession, ShopRow } from '../../../members/sql.ts';
import { Badge, EmptyState, FlashNote, ZonedTime } from '../../kit/components.tsx';
import type { Flash } from '../../kit/flash.ts';
import { ActionForm } from '../../kit/forms.tsx';
import type { Site } from '../../kit/page.tsx';
import type { Visit } from '../context.ts';
import { dashboardPage } from '../layout.tsx';
import { PasskeyPanel } from '../signIn/passkeys.tsx';

interface AccountProps {
  site: Site;
  visit: Visit;
  sessions: readonly ListedSession[];
  /** Null: there can be none at this address. */
  passkeys: readonly ListedPasskey[] | null;
  flash: Flash | null;
}

/** The member's own sessions and passkeys. */
export const accountPage = ({ site, visit, sessions, passkeys, flash }: AccountProps): string =>
  dashboardPage({
    site,
    title: 'Account',
    visit,
    children: (
      <>
        <h1>Account</h1>
        {flash && <FlashNote {...flash} />}
        <p>
          Signed in as <strong>{visit.session.email}</strong>.{' '}
          <a href={site.to('/dashboard/shops')}>Your shops</a>
        </p>
        <section class="panel" aria-labelledby="sessions">
          <h2 id="sessions">Where you are signed in</h2>
          <ul class="rows">
            {sessions.map((one) => (
              <li class="row">
                <span>
                  <strong>{one.browser}</strong>{' '}
                  {one.id === visit.session.id && <Badge tone="good" text="This browser" />}
                  <span class="hint">
                    Signed in <ZonedTime at={one.created_at.toISOString()} />, last used{' '}
                    <ZonedTime at={one.last_seen_at.toISOString()} />
                  </span>
                </span>
                {one.id !== visit.session.id && (
                  <ActionForm
                    action={site.to(`/dashboard/account/sessions/${one.id}/end`)}
                    formToken={visit.session.formToken}
                  >
                    <button class="button quiet" type="submit" aria-label={`Sign out ${one.browser}`}>
                      Sign out
                    </button>
                  </ActionForm>
                )}
              </li>
            ))}
          </ul>
        </section>
        <PasskeyPanel site={site} visit={visit} passkeys={passkeys} />
        <ActionForm action={site.to('/dashboard/sign-out')} formToken={visit.session.formToken}>
          <button class="button" type="submit">
            Sign out of this browser
          </button>
        </ActionForm>
      </>
    ),
  });

/** The shops that the member can switch to. */
export const shopsPage = (site: Site, visit: Visit, shops: readonly ShopRow[]): string =>
  dashboardPage({
    site,
    title: 'Your shops',
    visit,
    children: (
      <>
        <h1>Your shops</h1>
        {shops.length === 0 ? (
          <EmptyState title="There is no shop yet">
            {visit.session.operator ? (
              <p>
                <a href={site.to('/dashboard/operator/shops/new')}>Create the first one</a>, with the address
                of its owner.
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
        )}
      </>
    ),
  });

const ROLE_WORDS = { owner: 'an owner', member: 'a member', viewer: 'a viewer' } as const;
