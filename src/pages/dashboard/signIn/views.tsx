import { FormField } from '../../kit/forms.tsx';
import type { Site } from '../../kit/page.tsx';
import { dashboardNotice, dashboardPage } from '../layout.tsx';
import { PasskeySignIn } from './passkeys.tsx';

/** `backTo`: the page that was asked for, which signing in then leads to. */
export const signInPage = (
  site: Site,
  { backTo, hasPasskeys }: { backTo: string | null; hasPasskeys: boolean },
): string =>
  dashboardPage({
    site,
    title: 'Sign in',
    visit: null,
    scripts: hasPasskeys ? ['passkeys.js'] : [],
    children: (
      <div class="sheet">
        <h1>Sign in</h1>
        <p>We mail you a link that signs you in. There is no password.</p>
        <form method="post" action={site.to('/dashboard/sign-in')} class="stack">
          {backTo !== null && <input type="hidden" name="to" value={backTo} />}
          <FormField id="email" label="Your email address" type="email" required autocomplete="email" />
          <button class="button" type="submit">
            Mail me a link
          </button>
        </form>
        {hasPasskeys && <PasskeySignIn site={site} backTo={backTo} />}
      </div>
    ),
  });

/** The same for everybody, whether or not the address is a member's. */
export const signInSentPage = (site: Site): string =>
  dashboardPage({
    site,
    title: 'Check your mail',
    visit: null,
    children: (
      <div class="sheet">
        <h1>Check your mail</h1>
        <p>
          If the address belongs to a member of a shop, a link is on its way. It works once, within 15
          minutes, and only in this browser.
        </p>
        {site.sandbox && (
          <p>
            This is the sandbox: the mail appears on <a href={site.to('/sandbox')}>the sandbox’s page</a>, and
            nowhere else.
          </p>
        )}
        <p>
          <a href={site.to('/dashboard/sign-in')}>Use another address, or ask again</a>
        </p>
      </div>
    ),
  });

/** Behind the link in the mail: only the button signs in, because mail scanners fetch links. */
export const linkPage = (site: Site, token: string): string =>
  dashboardPage({
    site,
    title: 'Sign in',
    visit: null,
    children: (
      <div class="sheet">
        <h1>Welcome back</h1>
        <p>This link signs you in to the dashboard in this browser.</p>
        <form method="post" action={site.to(`/dashboard/sign-in/${token}`)} class="stack">
          <button class="button" type="submit">
            Sign in
          </button>
        </form>
      </div>
    ),
  });

export const linkUnusablePage = (site: Site): string =>
  dashboardNotice({
    site,
    title: 'This link does not work here',
    text: 'A link works once, within 15 minutes, and only in the browser where it was asked for.',
    href: '/dashboard/sign-in',
    label: 'Ask for a new link',
  });

export const tooManySignInsPage = (site: Site, wait = 'ten minutes'): string =>
  dashboardNotice({
    site,
    title: 'Too many attempts',
    text: `Please wait ${wait}, then try again.`,
    href: '/dashboard/sign-in',
    label: 'Back to sign in',
  });
