import { LINK_LIFETIME_MS } from '../../config/limits.ts';
import { DAY } from '../../kit/clock.ts';
import { type Brand, type InboxSite, inboxNotice } from './layout.tsx';

/** The same page for an expired link, an unknown one, and one whose person was erased. */
export function deadLinkPage(site: InboxSite, token: string): string {
  return inboxNotice({
    site,
    brand: null,
    title: site.words.text('deadLink.title'),
    children: (
      <>
        <p>{site.words.fill('deadLink.text', { days: String(LINK_LIFETIME_MS / DAY) })}</p>
        <NewLinkForm site={site} token={token} />
      </>
    ),
  });
}

/** For an expired session: the session, not this page, identifies the inbox. */
export function endedSessionPage(site: InboxSite): string {
  return inboxNotice({
    site,
    brand: null,
    title: site.words.text('endedSession.title'),
    children: (
      <>
        <p>{site.words.text('endedSession.text')}</p>
        <NewLinkForm site={site} token={null} />
      </>
    ),
  });
}

function NewLinkForm({ site, token }: { site: InboxSite; token: string | null }): JSX.Element {
  return (
    <form class="ask" method="post" action={site.paths.newLink}>
      {token !== null && <input type="hidden" name="link" value={token} />}
      <label for="email">{site.words.text('newLink.email')}</label>
      <input
        id="email"
        name="email"
        type="email"
        autocomplete="email"
        inputmode="email"
        maxlength={254}
        required
      />
      <button class="button" type="submit">
        {site.words.text('newLink.send')}
      </button>
    </form>
  );
}

/** The same for everyone, so that it does not reveal which addresses exist. */
export function newLinkPage(site: InboxSite): string {
  return inboxNotice({
    site,
    brand: null,
    title: site.words.text('newLink.sent.title'),
    children: (
      <>
        <p>{site.words.text('newLink.sent.text')}</p>
        <p class="hint">{site.words.text('newLink.sent.hint')}</p>
      </>
    ),
  });
}

export function noSessionPage(site: InboxSite): string {
  return inboxNotice({
    site,
    brand: null,
    title: site.words.text('noSession.title'),
    children: <p>{site.words.text('noSession.text')}</p>,
  });
}

export function signedOutPage(site: InboxSite): string {
  return inboxNotice({
    site,
    brand: null,
    title: site.words.text('signedOut.title'),
    children: <p>{site.words.text('signedOut.text')}</p>,
  });
}

export function strangeFormPage(site: InboxSite): string {
  return inboxNotice({
    site,
    brand: null,
    title: site.words.text('strangeForm.title'),
    children: (
      <>
        <p>{site.words.text('strangeForm.text')}</p>
        <BackToInbox site={site} />
      </>
    ),
  });
}

export function notFoundPage(site: InboxSite, brand: Brand | null): string {
  return inboxNotice({
    site,
    brand,
    title: site.words.text('notFound.title'),
    children: <BackToInbox site={site} />,
  });
}

export function tooManyPage(site: InboxSite): string {
  return inboxNotice({
    site,
    brand: null,
    title: site.words.text('tooMany.title'),
    children: <p>{site.words.text('tooMany.text')}</p>,
  });
}

export function troublePage(site: InboxSite): string {
  return inboxNotice({
    site,
    brand: null,
    title: site.words.text('trouble.title'),
    children: <p>{site.words.text('trouble.text')}</p>,
  });
}

export function refusedPage(site: InboxSite): string {
  return inboxNotice({
    site,
    brand: null,
    title: site.words.text('refused.title'),
    children: <BackToInbox site={site} />,
  });
}

function BackToInbox({ site }: { site: InboxSite }): JSX.Element {
  return (
    <p>
      <a class="button" href={site.paths.inbox()}>
        {site.words.text('toInbox')}
      </a>
    </p>
  );
}
