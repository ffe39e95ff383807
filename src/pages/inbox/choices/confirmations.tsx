import { type Brand, brandOf, type InboxSite, inboxNotice } from '../layout.tsx';
import type { Session } from '../session.ts';

/** Confirmation pages for choices that cannot be undone. */
interface ConfirmProps {
  site: InboxSite;
  session: Session;
}

export function confirmStopWhatsappPage({ site, session }: ConfirmProps): string {
  const brand = brandOf(session);
  const { words } = site;
  return inboxNotice({
    site,
    brand,
    title: words.text('confirm.stopWhatsapp.title'),
    children: (
      <>
        <p>
          {words.html('confirm.stopWhatsapp.text', { business: <bdi>{brand.name}</bdi> })}{' '}
          <strong>{words.text('confirm.permanent')}</strong>{' '}
          <span>{words.text('confirm.stopWhatsapp.others')}</span>
        </p>
        <Confirmation
          action={site.paths.stopWhatsapp}
          formToken={session.formToken}
          label={words.text('confirm.stopWhatsapp.button')}
        />
        <a href={site.paths.choices}>{words.text('confirm.stopWhatsapp.keep')}</a>
      </>
    ),
  });
}

export function confirmUnsubscribePage({ site, session }: ConfirmProps): string {
  const brand = brandOf(session);
  const { words } = site;
  return inboxNotice({
    site,
    brand,
    title: words.text('confirm.unsubscribe.title'),
    children: (
      <>
        <Consequences site={site} brand={brand} />
        <Confirmation
          action={site.paths.unsubscribe}
          formToken={session.formToken}
          label={words.text('confirm.unsubscribe.button')}
        />
        <a href={site.paths.choices}>{words.text('confirm.unsubscribe.keep')}</a>
      </>
    ),
  });
}

/** The target of the link in a mail. Viewing it changes nothing; mail scanners view it too. */
export function unsubscribeByMailPage(site: InboxSite, brand: Brand, token: string): string {
  return inboxNotice({
    site,
    brand,
    title: site.words.text('confirm.unsubscribe.title'),
    children: (
      <>
        <Consequences site={site} brand={brand} />
        <Confirmation
          action={site.paths.unsubscribeByToken(token)}
          formToken={null}
          label={site.words.text('confirm.unsubscribe.button')}
        />
      </>
    ),
  });
}

export function unsubscribedPage(site: InboxSite, brand: Brand): string {
  return inboxNotice({
    site,
    brand,
    title: site.words.text('unsubscribed.title'),
    children: <p>{site.words.html('unsubscribed.text', { business: <bdi>{brand.name}</bdi> })}</p>,
  });
}

function Consequences({ site, brand }: { site: InboxSite; brand: Brand }): JSX.Element {
  return (
    <p>
      {site.words.html('confirm.unsubscribe.text', { business: <bdi>{brand.name}</bdi> })}{' '}
      <strong>{site.words.text('confirm.permanent')}</strong>
    </p>
  );
}

interface ConfirmationProps {
  action: string;
  formToken: string | null;
  label: string;
}

function Confirmation({ action, formToken, label }: ConfirmationProps): JSX.Element {
  return (
    <form method="post" action={action}>
      {formToken !== null && <input type="hidden" name="csrf" value={formToken} />}
      <button type="submit" name="confirm" value="yes" class="button firm">
        {label}
      </button>
    </form>
  );
}
