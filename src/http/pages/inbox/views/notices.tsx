import { type Brand, type InboxSite, inboxNotice } from './layout.tsx';

/** The same page for an expired link, an unknown one, and one whose person was erased. */
export function deadLinkPage(site: InboxSite, token: string): string {
  return inboxNotice({
    site,
    brand: null,
    title: 'This link has ended',
    children: (
      <>
        <p>Links work for 30 days. We can send a new one to the address that gets your order updates.</p>
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
    title: 'You were signed out',
    children: (
      <>
        <p>It has been a while. Open the link in your latest update, or have a new one sent.</p>
        <NewLinkForm site={site} token={null} />
      </>
    ),
  });
}

function NewLinkForm({ site, token }: { site: InboxSite; token: string | null }): JSX.Element {
  return (
    <form class="ask" method="post" action={site.paths.newLink}>
      {token === null ? '' : <input type="hidden" name="link" value={token} />}
      <label for="email">Your email address</label>
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
        Send me a new link
      </button>
    </form>
  );
}

/** The same for everyone, so that it does not reveal which addresses exist. */
export function newLinkPage(site: InboxSite): string {
  return inboxNotice({
    site,
    brand: null,
    title: 'Look in your mail',
    children: (
      <>
        <p>If that address gets updates here, a new link is on its way. It can take a minute.</p>
        <p class="hint">Nothing there? The latest update from the shop has a link of its own.</p>
      </>
    ),
  });
}

export function noSessionPage(site: InboxSite): string {
  return inboxNotice({
    site,
    brand: null,
    title: 'Your inbox opens with a link',
    children: <p>Open the link in the latest email, text or WhatsApp message about your order.</p>,
  });
}

export function signedOutPage(site: InboxSite): string {
  return inboxNotice({
    site,
    brand: null,
    title: 'You are signed out',
    children: <p>To come back, open the link in the latest message about your order.</p>,
  });
}

export function strangeFormPage(site: InboxSite): string {
  return inboxNotice({
    site,
    brand: null,
    title: 'That did not come from your inbox',
    children: (
      <>
        <p>Nothing was changed. Go to your inbox and try once more.</p>
        <BackToInbox site={site} />
      </>
    ),
  });
}

export function notFoundPage(site: InboxSite, brand: Brand | null): string {
  return inboxNotice({
    site,
    brand,
    title: 'There is nothing here',
    children: <BackToInbox site={site} />,
  });
}

export function tooManyPage(site: InboxSite): string {
  return inboxNotice({
    site,
    brand: null,
    title: 'Too many tries',
    children: <p>Please wait a few minutes and try again.</p>,
  });
}

export function troublePage(site: InboxSite): string {
  return inboxNotice({
    site,
    brand: null,
    title: 'Something went wrong on our side',
    children: <p>Please try again in a moment. Your messages are safe.</p>,
  });
}

export function refusedPage(site: InboxSite): string {
  return inboxNotice({
    site,
    brand: null,
    title: 'That could not be understood',
    children: <BackToInbox site={site} />,
  });
}

function BackToInbox({ site }: { site: InboxSite }): JSX.Element {
  return (
    <p>
      <a class="button" href={site.paths.inbox()}>
        To my inbox
      </a>
    </p>
  );
}
