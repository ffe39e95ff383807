import { type Brand, type InboxSite, inboxNotice } from './layout.tsx';

/**
 * What a link shows to every client that fetches it. It names only the business; the inbox opens when the script
 * sees that the page is visible, or when a person presses the button.
 */
export function arrivalPage(
  site: InboxSite,
  brand: Brand,
  { token, news }: { token: string; news: boolean },
): string {
  return inboxNotice({
    site,
    brand,
    title: brand.name,
    children: (
      <>
        <p>{news ? 'has an update about your order.' : 'keeps your order updates here.'}</p>
        <form method="post" action={site.paths.link(token)} data-arrive={site.paths.inbox()}>
          <button class="button" type="submit">
            Open my inbox
          </button>
          <p class="arriving" role="status" data-arriving="Opening your inbox…" />
        </form>
        <p class="hint">This link is yours alone. Please do not pass it on.</p>
      </>
    ),
  });
}
