import { type Brand, type InboxSite, inboxNotice } from '../layout.tsx';

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
