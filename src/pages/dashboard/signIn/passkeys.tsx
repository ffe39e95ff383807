import { PASSKEY_NAME_MAX } from '../../../config/limits.ts';
import type { ListedPasskey } from '../../../members/passkeysSql.ts';
import { LinkButton, LinkLine, Panel, ZonedTime } from '../../kit/components.tsx';
import { FormField, HiddenFields, PostForm, SubmitButton } from '../../kit/forms.tsx';
import type { Site } from '../../kit/page.tsx';
import type { RefusedForm } from '../../kit/typedForm.ts';
import type { Visit } from '../context.ts';
import type { Page } from '../layout.tsx';

/** The button that signs in by a passkey. Hidden until the page's script finds that the browser knows passkeys. */
export const PasskeySignIn = ({ site, backTo }: { site: Site; backTo: string | null }): JSX.Element => (
  <form
    method="post"
    action={site.to('/dashboard/sign-in/passkey')}
    class="stack"
    data-passkey="use"
    data-options={site.to('/dashboard/sign-in/passkey/options')}
    hidden
  >
    <HiddenFields values={{ credential: '', to: backTo }} />
    <SubmitButton label="Sign in with a passkey" look="quiet" />
    <p class="fault" role="alert" data-passkey-fault />
  </form>
);

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

interface PasskeyPanelProps {
  visit: Visit;
  /** Null: there can be none at this address. */
  passkeys: readonly ListedPasskey[] | null;
}

/** The member's passkeys, on their account's page. */
export const PasskeyPanel = ({ visit, passkeys }: PasskeyPanelProps): JSX.Element => (
  <Panel id="passkeys" title="Passkeys">
    {passkeys === null ? (
      <p>Passkeys need the dashboard to be at a name with https. Until then, sign in by the mailed link.</p>
    ) : (
      <>
        {passkeys.length === 0 ? (
          <p>None yet. With a passkey you sign in by your finger, your face or a PIN, without a mail.</p>
        ) : (
          <ul class="rows">
            {passkeys.map((passkey) => (
              <PasskeyRow visit={visit} passkey={passkey} />
            ))}
          </ul>
        )}
        <p>
          <LinkButton href={visit.site.to('/dashboard/account/passkeys/new')} label="Add a passkey …" />
        </p>
      </>
    )}
  </Panel>
);

function PasskeyRow({ visit, passkey }: { visit: Visit; passkey: ListedPasskey }): JSX.Element {
  const { id, name, created_at, last_used_at: used } = passkey;
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
