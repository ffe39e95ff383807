import { LINK_LIFETIME_MS } from '../../config/limits.ts';
import { DAY } from '../../kit/clock.ts';
import { type Brand, type InboxSite, inboxNotice } from './layout.tsx';

/** A page with one sentence, by the name of its words. */
export const sentencePage = (
  site: InboxSite,
  name: 'noSession' | 'signedOut' | 'tooMany' | 'trouble',
): string =>
  inboxNotice(site, null, site.words.text(`${name}.title`), <p>{site.words.text(`${name}.text`)}</p>);

/** A page that leads back to the inbox. */
export const backToInboxPage = (
  site: InboxSite,
  name: 'strangeForm' | 'notFound' | 'refused',
  brand: Brand | null = null,
): string =>
  inboxNotice(
    site,
    brand,
    site.words.text(`${name}.title`),
    <>
      {name === 'strangeForm' && <p>{site.words.text('strangeForm.text')}</p>}
      <p>
        <a class="button" href={site.paths.inbox()}>
          {site.words.text('toInbox')}
        </a>
      </p>
    </>,
  );

/** The same page for an expired link, an unknown one, and one whose person was erased. */
export const deadLinkPage = (site: InboxSite, token: string): string =>
  inboxNotice(
    site,
    null,
    site.words.text('deadLink.title'),
    <>
      <p>{site.words.fill('deadLink.text', { days: String(LINK_LIFETIME_MS / DAY) })}</p>
      <NewLinkForm site={site} token={token} />
    </>,
  );

/** For an expired session: the session, not this page, identifies the inbox. */
export const endedSessionPage = (site: InboxSite): string =>
  inboxNotice(
    site,
    null,
    site.words.text('endedSession.title'),
    <>
      <p>{site.words.text('endedSession.text')}</p>
      <NewLinkForm site={site} token={null} />
    </>,
  );

const NewLinkForm = ({ site, token }: { site: InboxSite; token: string | null }): JSX.Element => (
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

/** The same for everyone, so that it does not reveal which addresses exist. */
export const newLinkPage = (site: InboxSite): string =>
  inboxNotice(
    site,
    null,
    site.words.text('newLink.sent.title'),
    <>
      <p>{site.words.text('newLink.sent.text')}</p>
      <p class="hint">{site.words.text('newLink.sent.hint')}</p>
    </>,
  );

/**
 * What a link shows to every client that fetches it. It names only the business; the inbox opens when the script
 * sees that the page is visible, or when a person presses the button.
 */
export const arrivalPage = (site: InboxSite, brand: Brand, token: string, hasMessage: boolean): string =>
  inboxNotice(
    site,
    brand,
    brand.name,
    <>
      <p>{site.words.text(hasMessage ? 'arrival.news' : 'arrival.keeps')}</p>
      <form method="post" action={site.paths.link(token)} data-arrive={site.paths.inbox()}>
        <button class="button" type="submit">
          {site.words.text('arrival.open')}
        </button>
        <p class="arriving" role="status" data-arriving={site.words.text('arrival.opening')} />
      </form>
      <p class="hint">{site.words.text('arrival.personal')}</p>
    </>,
  );
