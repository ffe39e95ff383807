import { htmlDocument, type Site, WaypostBrand } from '../../shell/page.tsx';
import type { ShopVisit, Visit } from '../context.ts';

/** The pages of a shop, in the order of its navigation. */
const PAGES = [
  { name: 'overview', path: '', title: 'Overview' },
  { name: 'messages', path: '/messages', title: 'Messages' },
] as const;
export type ShopPage = (typeof PAGES)[number]['name'];

interface LayoutProps {
  site: Site;
  title: string;
  /** Null: nobody is signed in. */
  visit: Visit | ShopVisit | null;
  /** The page of the shop that is open. */
  at?: ShopPage;
  children: JSX.Element;
}

/** A whole page of the dashboard: bar, the shop's navigation, content. */
export function dashboardPage({ site, title, visit, at, children }: LayoutProps): string {
  const shop = visit !== null && 'shop' in visit ? visit.shop : null;
  return htmlDocument({
    site,
    title: shop === null ? `${title} · Waypost` : `${title} · ${shop.name} · Waypost`,
    files: ['components.css', 'dashboard.css', 'dashboard.js'],
    unlisted: true,
    children: (
      <>
        <header class="bar">
          <WaypostBrand site={site} href="/dashboard" />
          {visit === null ? (
            ''
          ) : (
            <nav aria-label="Account">
              {shop === null ? (
                ''
              ) : (
                <a
                  class="bar-link shop-name"
                  href={site.to('/dashboard/shops')}
                  title="Switch to another shop"
                  safe
                >
                  {shop.name}
                </a>
              )}
              <a class="bar-link" href={site.to('/dashboard/account')}>
                Account
              </a>
            </nav>
          )}
        </header>
        {shop === null ? (
          ''
        ) : (
          <nav class="tabs" aria-label="Shop">
            {PAGES.map((page) => (
              <a
                href={site.to(`/dashboard/${shop.id}${page.path}`)}
                aria-current={page.name === at ? 'page' : undefined}
              >
                {page.title}
              </a>
            ))}
          </nav>
        )}
        <main id="main" class="dash">
          {children}
        </main>
      </>
    ),
  });
}

/** A page with one message and a way on. */
export function dashboardNotice({
  site,
  title,
  text,
  href,
  label,
}: {
  site: Site;
  title: string;
  text: string;
  href: string;
  label: string;
}): string {
  return dashboardPage({
    site,
    title,
    visit: null,
    children: (
      <div class="sheet">
        <h1 safe>{title}</h1>
        <p safe>{text}</p>
        <p>
          <a class="button" href={site.to(href)} safe>
            {label}
          </a>
        </p>
      </div>
    ),
  });
}
