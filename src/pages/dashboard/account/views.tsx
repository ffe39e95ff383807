import { PASSKEY_NAME_MAX } from '../../../config/limits.ts';
import type { ListedPasskey } from '../../../members/passkeysSql.ts';
import type { ListedSession, ShopRow } from '../../../members/sql.ts';
import { Badge, EmptyState, LinkButton, LinkLine, Panel, ZonedTime } from '../../kit/components.tsx';
import { FormField, HiddenFields, PostForm, SubmitButton } from '../../kit/forms.tsx';
import type { RefusedForm } from '../../kit/typedForm.ts';
import type { Visit } from '../context.ts';
import type { Page } from '../layout.tsx';

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
        {passkeyPanel(visit, passkeys)}
        <PostForm visit={visit} action={site.to('/dashboard/sign-out')} label="Sign out of this browser" />
      </>
    ),
  };
}

/** The member's passkeys, on their account's page. */
const passkeyPanel = (visit: Visit, passkeys: readonly ListedPasskey[] | null) => (
  <Panel id="passkeys" title="Passkeys">
    {passkeys === null ? (
      <p>Passkeys need the dashboard to be at a name with https. Until then, sign in by the mailed link.</p>
    ) : (
      <>
        {passkeys.length === 0 ? (
          <p>None yet. With a passkey you sign in by your finger, your face or a PIN, without a mail.</p>
        ) : (
          <ul class="rows">{passkeys.map((passkey) => passkeyRow(visit, passkey))}</ul>
        )}
        <p>
          <LinkButton href={visit.site.to('/dashboard/account/passkeys/new')} label="Add a passkey …" />
        </p>
      </>
    )}
  </Panel>
);

function passkeyRow(visit: Visit, { id, name, created_at, last_used_at: used }: ListedPasskey) {
  return (
    <li class="row">
      <span class="key-facts">
        <strong dir="auto">{name}</strong>
        <span class="hint">
          Added <ZonedTime at={created_at} />,{' '}
          {used === null ? 'not used yet' : ['last used ', <ZonedTime at={used} />]}
        </span>
      </span>
      <PostForm
        visit={visit}
        action={visit.site.to(`/dashboard/account/passkeys/${id}/remove`)}
        label="Remove"
        look="quiet"
        about={`Remove ${name}`}
      />
    </li>
  );
}

/** Asks for a name, and then the browser for a finger, a face or a PIN. */
export const newPasskeyPage = ({ site, session }: Visit, { typed, faults }: RefusedForm): Page => ({
  title: 'Add a passkey',
  isSheet: true,
  scripts: ['passkeys.js'],
  flash: faults.name === undefined ? null : { tone: 'bad', text: faults.name },
  children: (
    <>
      <p>
        Sign in with your finger, your face or the PIN of this device, or with a security key, instead of a
        mailed link. The link keeps working.
      </p>
      <p data-without-passkeys>
        This browser cannot make passkeys, or JavaScript is switched off. The mailed link works everywhere.
      </p>
      <form
        method="post"
        action={site.to('/dashboard/account/passkeys/new')}
        class="stack"
        data-passkey="create"
        data-options={site.to('/dashboard/account/passkeys/options')}
        hidden
      >
        <HiddenFields values={{ csrf: session.formToken, credential: '' }} />
        <FormField
          id="name"
          label="Name"
          type="text"
          value={typed.name}
          required
          maxlength={PASSKEY_NAME_MAX}
          autocomplete="off"
          hint="So that you recognise it in the list."
        />
        <SubmitButton label="Add it" />
        <p class="fault" role="alert" data-passkey-fault />
      </form>
      <LinkLine href={site.to('/dashboard/account')} label="Back to your account" />
    </>
  ),
});

/** The browser goes on to the issuer's sign-out page, by a `Refresh` header. */
export const signedOutPage = (host: string, endThere: string): Page => ({
  title: 'Signed out',
  isSheet: true,
  children: (
    <>
      <p>You are signed out of Waypost. You are led to {host}, to sign out there, too.</p>
      <LinkLine href={endThere} label={`Sign out of ${host}`} />
    </>
  ),
});

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
