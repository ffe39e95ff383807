import type { Children } from '../../../kit/jsxRuntime.ts';
import type { AssetFile } from '../../kit/assets.ts';
import { LinkButton, LinkLine, ZonedTime } from '../../kit/components.tsx';
import { FormField, HiddenFields, PostForm, SubmitButton } from '../../kit/forms.tsx';
import type { Site } from '../../kit/page.tsx';
import { withQuery } from '../../kit/request.ts';
import type { Visit } from '../context.ts';
import type { Page } from '../layout.tsx';

/** Ways to sign in besides a mail. */
export interface Ways {
  hasPasskeys: boolean;
  /** Null: nobody signs in by OpenID Connect. */
  issuerHost: string | null;
}

/** `backTo`: the page that was asked for, which signing in then leads to. */
export const signInPage = (site: Site, backTo: string | null, ways: Ways): Page => ({
  title: 'Sign in',
  isSheet: true,
  scripts: scriptsFor(ways),
  children: (
    <>
      <p>We mail you a link and a code that sign you in. There is no password.</p>
      <form method="post" action={site.to('/dashboard/sign-in')} class="stack">
        <HiddenFields values={{ to: backTo }} />
        <FormField id="email" label="Your email address" type="email" required autocomplete="email" />
        <SubmitButton label="Mail me a link" />
      </form>
      <OtherWays site={site} backTo={backTo} ways={ways} />
    </>
  ),
});

/** Asks a member who is signed in once more: says why, and offers the ways. */
export function signInAgainPage(visit: Visit, backTo: string | null, ways: Ways): Page {
  const { site, session } = visit;
  return {
    title: 'Sign in again',
    isSheet: true,
    heading: 'Please sign in again',
    scripts: scriptsFor(ways),
    children: (
      <>
        <p>
          The next step is one that only you should take, so we make sure that it is you. You last signed in{' '}
          <ZonedTime at={session.signedInAt} />. Nothing was changed yet, and you come back to the page where
          you were.
        </p>
        <PostForm visit={visit} action={site.to('/dashboard/sign-in-again')} label="Mail me a link">
          <HiddenFields values={{ to: backTo }} />
          <p>
            We mail a link and a code to <strong>{session.email}</strong>.
          </p>
        </PostForm>
        <OtherWays site={site} backTo={backTo} ways={ways} />
        <LinkLine href={site.to('/dashboard')} label="Leave it, and go to the dashboard" />
      </>
    ),
  };
}

/** The same for everybody, whether or not the address is a member's. */
export const signInSentPage = (site: Site, fault?: string): Page =>
  checkMailPage(
    site,
    'If the address belongs to a member of a shop, a mail is on its way. Open its link in this browser, or type its code here, within 15 minutes.',
    fault,
    <LinkLine href={site.to('/dashboard/sign-in')} label="Use another address, or ask again" />,
  );

export const signInAgainSentPage = ({ site, session }: Visit): Page =>
  checkMailPage(site, [
    'A mail is on its way to ',
    <strong>{session.email}</strong>,
    '. Open its link in this browser, or type its code here, within 15 minutes. It brings you back to where you were.',
  ]);

/** With the blanks that people put between digits. */
const CODE_TYPED_MAX = 20;

const checkMailPage = (site: Site, text: Children, fault?: string, wayOn?: Children): Page => ({
  title: 'Check your mail',
  isSheet: true,
  children: (
    <>
      <p>{text}</p>
      {site.sandbox && (
        <p>
          This is the sandbox: the mail appears on <a href={site.to('/sandbox')}>the sandbox’s page</a>, and
          nowhere else.
        </p>
      )}
      <form method="post" action={site.to('/dashboard/sign-in/code')} class="stack">
        <FormField
          id="code"
          label="Code from the mail"
          type="text"
          inputmode="numeric"
          autocomplete="one-time-code"
          maxlength={CODE_TYPED_MAX}
          required
          fault={fault}
        />
        <SubmitButton label="Sign in" />
      </form>
      {wayOn}
    </>
  ),
});

/** Behind the link in the mail: only the button signs in, because mail scanners fetch links. */
export const linkPage = (site: Site, token: string): Page => ({
  title: 'Sign in',
  isSheet: true,
  heading: 'Welcome back',
  children: (
    <>
      <p>This link signs you in to the dashboard in this browser.</p>
      <form method="post" action={site.to(`/dashboard/sign-in/${token}`)} class="stack">
        <SubmitButton label="Sign in" />
      </form>
    </>
  ),
});

const scriptsFor = ({ hasPasskeys }: Ways): readonly AssetFile[] => (hasPasskeys ? ['passkeys.js'] : []);

interface OtherWaysProps {
  site: Site;
  backTo: string | null;
  ways: Ways;
}

const OtherWays = ({ site, backTo, ways: { hasPasskeys, issuerHost } }: OtherWaysProps) => (
  <>
    {issuerHost !== null && (
      <p>
        <LinkButton
          href={withQuery(site.to('/dashboard/sign-in/oidc'), { to: backTo })}
          label={`Sign in with ${issuerHost}`}
        />
      </p>
    )}
    {hasPasskeys && passkeySignIn(site, backTo)}
  </>
);

/** The button that signs in by a passkey. Hidden until the page's script finds that the browser knows passkeys. */
const passkeySignIn = (site: Site, backTo: string | null) => (
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
