import { type Brand, notice, type Site } from './layout.tsx';

/** The same for a link that has expired, one that was never ours, and one whose person was erased. */
export function deadLinkPage(site: Site, token: string): string {
  return notice({
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

/** The person was signed in once; whose inbox it was is known from the session, not from this page. */
export function endedSessionPage(site: Site): string {
  return notice({
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

function NewLinkForm({ site, token }: { site: Site; token: string | null }): JSX.Element {
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

/** Says the same to everyone, so that nobody learns from it who is known here. */
export function newLinkPage(site: Site): string {
  return notice({
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

export function noSessionPage(site: Site): string {
  return notice({
    site,
    brand: null,
    title: 'Your inbox opens with a link',
    children: <p>Open the link in the latest email, text or WhatsApp message about your order.</p>,
  });
}

export function signedOutPage(site: Site): string {
  return notice({
    site,
    brand: null,
    title: 'You are signed out',
    children: <p>To come back, open the link in the latest message about your order.</p>,
  });
}

export function strangeFormPage(site: Site): string {
  return notice({
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

export function notFoundPage(site: Site, brand: Brand | null): string {
  return notice({
    site,
    brand,
    title: 'There is nothing here',
    children: <BackToInbox site={site} />,
  });
}

export function tooManyPage(site: Site): string {
  return notice({
    site,
    brand: null,
    title: 'Too many tries',
    children: <p>Please wait a few minutes and try again.</p>,
  });
}

export function troublePage(site: Site): string {
  return notice({
    site,
    brand: null,
    title: 'Something went wrong on our side',
    children: <p>Please try again in a moment. Your messages are safe.</p>,
  });
}

export function refusedPage(site: Site): string {
  return notice({
    site,
    brand: null,
    title: 'That could not be understood',
    children: <BackToInbox site={site} />,
  });
}

function BackToInbox({ site }: { site: Site }): JSX.Element {
  return (
    <p>
      <a class="button" href={site.paths.inbox()}>
        To my inbox
      </a>
    </p>
  );
}
