import { PASSKEY_NAME_MAX } from '../../../config/limits.ts';
import type { ListedPasskey } from '../../../members/passkeysSql.ts';
import { FlashNote, ZonedTime } from '../../kit/components.tsx';
import { ActionForm, FormField } from '../../kit/forms.tsx';
import type { Site } from '../../kit/page.tsx';
import type { Visit } from '../context.ts';
import { dashboardNotice, dashboardPage } from '../layout.tsx';

/** The button that signs in by a passkey. Hidden until the page's script finds that the browser knows passkeys. */
export function PasskeySignIn({ site, backTo }: { site: Site; backTo: string | null }): JSX.Element {
  return (
    <form
      method="post"
      action={site.to('/dashboard/sign-in/passkey')}
      class="stack"
      data-passkey="use"
      data-options={site.to('/dashboard/sign-in/passkey/options')}
      hidden
    >
      <input type="hidden" name="credential" value="" />
      {backTo !== null && <input type="hidden" name="to" value={backTo} />}
      <button class="button quiet" type="submit">
        Sign in with a passkey
      </button>
      <p class="fault" role="alert" data-passkey-fault />
    </form>
  );
}

/** Asks for a name, and then the browser for a finger, a face or a PIN. */
export const newPasskeyPage = ({
  site,
  visit,
  name,
  fault,
}: {
  site: Site;
  visit: Visit;
  name: string;
  fault: string | null;
}): string =>
  dashboardPage({
    site,
    title: 'Add a passkey',
    visit,
    scripts: ['passkeys.js'],
    children: (
      <div class="sheet">
        <h1>Add a passkey</h1>
        <p>
          Sign in with your finger, your face or the PIN of this device, or with a security key, instead of a
          mailed link. The link keeps working.
        </p>
        {fault !== null && <FlashNote tone="bad" text={fault} />}
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
          <input type="hidden" name="csrf" value={visit.session.formToken} />
          <input type="hidden" name="credential" value="" />
          <FormField
            id="name"
            label="Name"
            type="text"
            value={name}
            required
            maxlength={PASSKEY_NAME_MAX}
            autocomplete="off"
            hint="So that you recognise it in the list."
          />
          <button class="button" type="submit">
            Add it
          </button>
          <p class="fault" role="alert" data-passkey-fault />
        </form>
        <p>
          <a href={site.to('/dashboard/account')}>Back to your account</a>
        </p>
      </div>
    ),
  });

/** The member's passkeys, on their account's page. `null`: there can be none at this address. */
export function PasskeyPanel({
  site,
  visit,
  passkeys,
}: {
  site: Site;
  visit: Visit;
  passkeys: readonly ListedPasskey[] | null;
}): JSX.Element {
  return (
    <section class="panel" aria-labelledby="passkeys">
      <h2 id="passkeys">Passkeys</h2>
      {passkeys === null ? (
        <p>Passkeys need the dashboard to be at a name with https. Until then, sign in by the mailed link.</p>
      ) : (
        <>
          {passkeys.length === 0 ? (
            <p>None yet. With a passkey you sign in by your finger, your face or a PIN, without a mail.</p>
          ) : (
            <ul class="rows">
              {passkeys.map((passkey) => (
                <PasskeyRow site={site} visit={visit} passkey={passkey} />
              ))}
            </ul>
          )}
          <p>
            <a class="button quiet" href={site.to('/dashboard/account/passkeys/new')}>
              Add a passkey …
            </a>
          </p>
        </>
      )}
    </section>
  );
}

function PasskeyRow({
  site,
  visit,
  passkey: { id, name, created_at, last_used_at },
}: {
  site: Site;
  visit: Visit;
  passkey: ListedPasskey;
}): JSX.Element {
  return (
    <li class="row">
      <span class="key-facts">
        <strong dir="auto">{name}</strong>
        <span class="hint">
          Added <ZonedTime at={created_at.toISOString()} />,{' '}
          {last_used_at === null ? (
            'not used yet'
          ) : (
            <>
              last used <ZonedTime at={last_used_at.toISOString()} />
            </>
          )}
        </span>
      </span>
      <ActionForm
        action={site.to(`/dashboard/account/passkeys/${id}/remove`)}
        formToken={visit.session.formToken}
      >
        <button class="button quiet" type="submit" aria-label={`Remove ${name}`}>
          Remove
        </button>
      </ActionForm>
    </li>
  );
}

export const passkeyUnusablePage = (site: Site): string =>
  dashboardNotice({
    site,
    title: 'This passkey does not work here',
    text: 'It was removed from the account, or it took too long. Try once more, or sign in by a mailed link.',
    href: '/dashboard/sign-in',
    label: 'Back to sign in',
  });
