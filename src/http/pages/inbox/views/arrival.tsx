import { type Brand, notice, type Site } from './layout.tsx';

/**
 * What a link shows to whoever fetches it. It names the business and nothing else; the inbox opens when the script
 * sees that the page is really being looked at, or when a person presses the button.
 */
export function arrivalPage(
  site: Site,
  brand: Brand,
  { token, news }: { token: string; news: boolean },
): string {
  return notice({
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
