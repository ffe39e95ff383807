import { ZonedTime } from '../../kit/components.tsx';
import { ActionForm } from '../../kit/forms.tsx';
import type { Site } from '../../kit/page.tsx';
import type { Visit } from '../context.ts';
import { dashboardPage } from '../layout.tsx';
import { PasskeySignIn } from './passkeys.tsx';

interface SignInAgainProps {
  site: Site;
  visit: Visit;
  /** The page that asked for it; null: none that we know. */
  backTo: string | null;
  hasPasskey: boolean;
}

/** Says why, and offers the ways to sign in. */
export const signInAgainPage = ({ site, visit, backTo, hasPasskey }: SignInAgainProps): string =>
  dashboardPage({
    site,
    title: 'Sign in again',
    visit,
    scripts: hasPasskey ? ['passkeys.js'] : [],
    children: (
      <div class="sheet">
        <h1>Please sign in again</h1>
        <p>
          The next step is one that only you should take, so we make sure that it is you. You last signed in{' '}
          <ZonedTime at={visit.session.signedInAt.toISOString()} />. Nothing was changed yet, and you come
          back to the page where you were.
        </p>
        <ActionForm action={site.to('/dashboard/sign-in-again')} formToken={visit.session.formToken}>
          <div class="stack">
            {backTo !== null && <input type="hidden" name="to" value={backTo} />}
            <p>
              We mail a link to <strong>{visit.session.email}</strong>. Open it in this browser.
            </p>
            <button class="button" type="submit">
              Mail me a link
            </button>
          </div>
        </ActionForm>
        {hasPasskey && <PasskeySignIn site={site} backTo={backTo} />}
        <p>
          <a href={site.to('/dashboard')}>Leave it, and go to the dashboard</a>
        </p>
      </div>
    ),
  });

export const signInAgainSentPage = (site: Site, email: string): string =>
  dashboardPage({
    site,
    title: 'Check your mail',
    visit: null,
    children: (
      <div class="sheet">
        <h1>Check your mail</h1>
        <p>
          A link is on its way to <strong>{email}</strong>. It works once, within 15 minutes, and only in this
          browser. It brings you back to where you were.
        </p>
        {site.sandbox && (
          <p>
            This is the sandbox: the mail appears on <a href={site.to('/sandbox')}>the sandbox’s page</a>, and
            nowhere else.
          </p>
        )}
      </div>
    ),
  });
