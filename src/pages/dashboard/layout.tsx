import { UNREAD_COUNTED_MAX } from '../../recipients/repliesSql.ts';
import type { AssetFile } from '../kit/assets.ts';
import { htmlDocument, type Site, WaypostBrand } from '../kit/page.tsx';
import { BY_ITSELF, type ShopVisit, type Visit } from './context.ts';

/** The pages of a shop, in the order of its navigation. */
const PAGES = [
  { name: 'overview', path: '', title: 'Overview' },
  { name: 'messages', path: '/messages', title: 'Messages' },
  { name: 'recipients', path: '/recipients', title: 'Customers' },
  { name: 'replies', path: '/replies', title: 'Replies' },
  { name: 'webhooks', path: '/webhooks', title: 'Webhooks' },
  { name: 'keys', path: '/keys', title: 'API keys' },
  { name: 'credits', path: '/credits', title: 'Credits' },
  { name: 'settings', path: '/settings', title: 'Settings' },
] as const;
export type ShopPage = (typeof PAGES)[number]['name'];

/** The operator's pages, in the order of their navigation. */
const OPERATOR_PAGES = [
  { name: 'shops', path: '', title: 'Shops' },
  { name: 'prices', path: '/prices', title: 'Prices' },
  { name: 'templates', path: '/templates', title: 'Templates' },
  { name: 'providers', path: '/providers', title: 'Providers' },
  { name: 'outbox', path: '/outbox', title: 'Outbox' },
  { name: 'suppressions', path: '/suppressions', title: 'Suppressions' },
  { name: 'people', path: '/people', title: 'People' },
  { name: 'audit', path: '/audit', title: 'Audit log' },
] as const;
export type OperatorPage = (typeof OPERATOR_PAGES)[number]['name'];

const SCRIPTS = ['dashboard.js', 'htmx.js'] as const;

interface LayoutProps {
  site: Site;
  title: string;
  /** Null: nobody is signed in. */
  visit: Visit | ShopVisit | null;
  /** The page of the shop that is open. */
  at?: ShopPage;
  /** The page of the operator that is open. */
  operatorAt?: OperatorPage;
  /** What the page shows when it is sent, if it updates itself: of one message, or of the whole shop. */
  live?: { seen: string; messageId: string | null };
  /** Besides those of every page. */
  scripts?: readonly AssetFile[];
  children: JSX.Element;
}

/** A whole page of the dashboard: bar, the shop's navigation, content. */
export function dashboardPage(props: LayoutProps): string {
  const { site, title, visit, at, operatorAt, live, scripts = [], children } = props;
  const shop = visit !== null && 'shop' in visit ? visit.shop : null;
  const unread = visit !== null && 'shop' in visit ? visit.unreadReplies : 0;
  return htmlDocument({
    site,
    title: shop === null ? `${title} · Waypost` : `${title} · ${shop.name} · Waypost`,
    files: [
      'components.css',
      'dashboard.css',
      'dashboard-lists.css',
      'dashboard-webhooks.css',
      'dashboard-settings.css',
      ...SCRIPTS,
      ...scripts,
    ],
    unlisted: true,
    children: (
      <>
        <header class="bar">
          <WaypostBrand site={site} href="/dashboard" />
          {visit !== null && (
            <nav aria-label="Account">
              {shop !== null && (
                <a
                  class="bar-link shop-name"
                  href={site.to('/dashboard/shops')}
                  title="Switch to another shop"
                >
                  {shop.name}
                </a>
              )}
              {visit.session.operator && (
                <a class="bar-link" href={site.to('/dashboard/operator')}>
                  Operator
                </a>
              )}
              <a class="bar-link" href={site.to('/dashboard/account')}>
                Account
              </a>
            </nav>
          )}
        </header>
        {shop !== null && (
          <nav class="tabs" aria-label="Shop">
            {PAGES.map((page) => (
              <a
                href={site.to(`/dashboard/${shop.id}${page.path}`)}
                aria-current={page.name === at ? 'page' : undefined}
              >
                {page.title}
                {page.name === 'replies' && <UnreadCount unread={unread} />}
              </a>
            ))}
          </nav>
        )}
        {operatorAt !== undefined && (
          <nav class="tabs" aria-label="Operator">
            {OPERATOR_PAGES.map((page) => (
              <a
                href={site.to(`/dashboard/operator${page.path}`)}
                aria-current={page.name === operatorAt ? 'page' : undefined}
              >
                {page.title}
              </a>
            ))}
          </nav>
        )}
        <main id="main" class="dash" data-live={live && shop ? livePath(site, shop.id, live) : undefined}>
          {children}
        </main>
      </>
    ),
  });
}

function UnreadCount({ unread }: { unread: number }): JSX.Element | null {
  if (unread === 0) return null;
  return (
    <span class="tab-count">
      <span>{unread < UNREAD_COUNTED_MAX ? String(unread) : `${UNREAD_COUNTED_MAX - 1}+`}</span>
      <span class="visually-hidden"> unread</span>
    </span>
  );
}

const livePath = (
  site: Site,
  shopId: string,
  { seen, messageId }: NonNullable<LayoutProps['live']>,
): string =>
  site.to(
    `/dashboard/${shopId}/live?${new URLSearchParams({ seen, ...(messageId !== null && { message: messageId }) })}`,
  );

/** A part of a page that asks for itself again when something changed; `also` names other parts by id. */
export const updatesItself = (path: string, id: string, also: readonly string[] = []) => ({
  id,
  'data-updates': true,
  'hx-get': path,
  'hx-trigger': 'changed',
  'hx-target': 'this',
  'hx-select': `#${id}`,
  'hx-swap': 'outerHTML',
  'hx-headers': JSON.stringify({ [BY_ITSELF]: 'yes' }),
  ...(also.length > 0 && { 'hx-select-oob': also.map((other) => `#${other}`).join(',') }),
});

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
        <h1>{title}</h1>
        <p>{text}</p>
        <p>
          <a class="button" href={site.to(href)}>
            {label}
          </a>
        </p>
      </div>
    ),
  });
}
