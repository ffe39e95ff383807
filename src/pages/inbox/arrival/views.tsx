import { type Brand, type InboxSite, inboxNotice } from '../layout.tsx';

/**
 * What a link shows to every client that fetches it. It names only the business; the inbox opens when the script
 * sees that the page is visible, or when a person presses the button.
 */
export function arrivalPage(
  site: InboxSite,
  brand: Brand,
  { token, news }: { token: string; news: boolean },
): string {
  const { words } = site;
  return inboxNotice({
    site,
    brand,
    title: brand.name,
    children: (
      <>
        <p>{words.text(news ? 'arrival.news' : 'arrival.keeps')}</p>
        <form method="post" action={site.paths.link(token)} data-arrive={site.paths.inbox()}>
          <button class="button" type="submit">
            {words.text('arrival.open')}
          </button>
          <p class="arriving" role="status" data-arriving={words.text('arrival.opening')} />
        </form>
        <p class="hint">{words.text('arrival.personal')}</p>
      </>
    ),
  });
}
