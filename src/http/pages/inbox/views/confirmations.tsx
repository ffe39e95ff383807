import type { Session } from '../../../../inbox/session.ts';
import { type Brand, brandOf, type InboxSite, inboxNotice } from './layout.tsx';

/** Confirmation pages for choices that cannot be undone. */
interface ConfirmProps {
  site: InboxSite;
  session: Session;
}

export function confirmStopWhatsappPage({ site, session }: ConfirmProps): string {
  const brand = brandOf(session);
  return inboxNotice({
    site,
    brand,
    title: 'Stop WhatsApp messages?',
    children: (
      <>
        <p>
          <bdi safe>{brand.name}</bdi> will never again be able to write to you on WhatsApp through this
          service. <strong>This is permanent.</strong> Email and texts are not affected.
        </p>
        <Confirmation
          action={site.paths.stopWhatsapp}
          formToken={session.formToken}
          label="Stop WhatsApp for good"
        />
        <a href={site.paths.choices}>No, keep it</a>
      </>
    ),
  });
}

export function confirmUnsubscribePage({ site, session }: ConfirmProps): string {
  const brand = brandOf(session);
  return inboxNotice({
    site,
    brand,
    title: 'Unsubscribe from everything?',
    children: (
      <>
        <Consequences brand={brand} />
        <Confirmation
          action={site.paths.unsubscribe}
          formToken={session.formToken}
          label="Unsubscribe for good"
        />
        <a href={site.paths.choices}>No, keep the updates</a>
      </>
    ),
  });
}

/** The target of the link in a mail. Viewing it changes nothing; mail scanners view it too. */
export function unsubscribeByMailPage(site: InboxSite, brand: Brand, token: string): string {
  return inboxNotice({
    site,
    brand,
    title: 'Unsubscribe from everything?',
    children: (
      <>
        <Consequences brand={brand} />
        <Confirmation
          action={site.paths.unsubscribeByToken(token)}
          formToken={null}
          label="Unsubscribe for good"
        />
      </>
    ),
  });
}

export function unsubscribedPage(site: InboxSite, brand: Brand): string {
  return inboxNotice({
    site,
    brand,
    title: 'You are unsubscribed',
    children: (
      <p>
        <bdi safe>{brand.name}</bdi> sends you no more email, texts or WhatsApp messages about your orders.
      </p>
    ),
  });
}

/** For a mail whose recipient was erased and whose old link does not hold the address's hash. */
export function endedUnsubscribeLinkPage(site: InboxSite, brand: Brand): string {
  return inboxNotice({
    site,
    brand,
    title: 'This unsubscribe link has expired',
    children: (
      <>
        <p>
          Nothing was changed: <bdi safe>{brand.name}</bdi> has deleted what it kept about you here, and this
          link no longer says which address it was for.
        </p>
        <p>If it ever writes to you again, the unsubscribe link in that email will work.</p>
      </>
    ),
  });
}

function Consequences({ brand }: { brand: Brand }): JSX.Element {
  return (
    <p>
      No more email, texts or WhatsApp messages about your orders with <bdi safe>{brand.name}</bdi>, not even
      about one that is on its way. <strong>This is permanent.</strong>
    </p>
  );
}

interface ConfirmationProps {
  action: string;
  formToken: string | null;
  label: 'Stop WhatsApp for good' | 'Unsubscribe for good';
}

function Confirmation({ action, formToken, label }: ConfirmationProps): JSX.Element {
  return (
    <form method="post" action={action}>
      {formToken === null ? '' : <input type="hidden" name="csrf" value={formToken} />}
      <button type="submit" name="confirm" value="yes" class="button firm">
        {label}
      </button>
    </form>
  );
}
