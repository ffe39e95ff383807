import { SECOND } from '../../kit/clock.ts';
import type { MemberSession } from '../../members/session.ts';
import { UNREAD_COUNTED_MAX } from '../../recipients/repliesSql.ts';
import type { AssetFile } from '../kit/assets.ts';
import { ButtonLine, FlashNote } from '../kit/components.tsx';
import type { Flash } from '../kit/flash.ts';
import { ActionForm } from '../kit/forms.tsx';
import { BarLink, htmlDocument, type Site, WaypostBrand } from '../kit/page.tsx';
import { withQuery } from '../kit/request.ts';
import { SearchBox, ShopSearchBox } from '../kit/searchBox.tsx';
import type { ShownOnPage } from './live/reads.ts';

/** The pages of a shop, in the order of its navigation. */
const PAGES = [
  { name: 'overview', path: '', title: 'Overview' },
  { name: 'messages', path: '/messages', title: 'Messages' },
  { name: 'recipients', path: '/recipients', title: 'Customers' },
  { name: 'replies', path: '/replies', title: 'Replies' },
  { name: 'connections', path: '/connections', title: 'Connections' },
  { name: 'webhooks', path: '/webhooks', title: 'Webhooks' },
  { name: 'keys', path: '/keys', title: 'API keys' },
  { name: 'credits', path: '/credits', title: 'Credits' },
  { name: 'settings', path: '/settings', title: 'Settings' },
] as const;

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

const FILES = ['components.css', 'dashboard.css', 'dashboard.js', 'htmx.js'] as const;

/** Who looks at a page, and in which shop. */
interface Viewer {
  session: MemberSession;
  shop?: { id: string; name: string };
  unreadReplies?: number;
}

/** A page above another one. */
interface Crumb {
  href: string;
  label: string;
}

/** A page of the dashboard, as a handler answers with it. */
export interface Page {
  /** 200 if not given. */
  status?: number;
  title: string;
  /** The page of the shop that is open. */
  at?: (typeof PAGES)[number]['name'];
  /** The page of the operator that is open. */
  operatorAt?: (typeof OPERATOR_PAGES)[number]['name'];
  /** The pages between the one in the navigation and this one; not given: the page is in the navigation itself. */
  within?: readonly Crumb[];
  /** What was searched for; it stays in the search box. */
  searched?: string | null;
  /** What the page shows when it is sent, if it updates itself: of one message, connection or endpoint, or of the whole shop. */
  live?: { seen: string } & ShownOnPage;
  /** Besides those of every page. */
  scripts?: readonly AssetFile[];
  /** What stands above the content; the title if not given. */
  heading?: JSX.Element | string | null;
  /** Whether the page asks or says one thing, in a narrow sheet. */
  isSheet?: boolean;
  /** What an action just did, or why it did nothing. */
  flash?: Flash | null;
  children: JSX.Element;
}

/** Another address, which the browser asks for next. */
export interface Redirect {
  goTo: string;
}

/** A page with one message and a way on, the same for everybody. */
export interface Notice {
  status: number;
  title: string;
  text: string;
  href: string;
  label: string;
  retrySeconds?: number;
}

/** A whole page of the dashboard: bar, the navigation of the shop or the operator, content. */
export function renderPage(site: Site, visit: Viewer | null, page: Page): string {
  const { title, live, scripts = [] } = page;
  const shop = visit?.shop ?? null;
  const sections = visit === null ? null : sectionsOf(site, visit, page);
  return htmlDocument({
    site,
    title: shop === null ? `${title} · Waypost` : `${title} · ${shop.name} · Waypost`,
    files: [...FILES, ...scripts],
    unlisted: true,
    children: (
      <>
        <header class="bar">
          <WaypostBrand site={site} href="/dashboard" />
          {visit !== null && shop !== null && (
            <SearchBox
              action={site.to(`/dashboard/${shop.id}/search`)}
              formToken={visit.session.formToken}
              value={page.searched ?? null}
            />
          )}
          {page.operatorAt !== undefined && (
            <ShopSearchBox action={site.to('/dashboard/operator')} value={page.searched ?? null} />
          )}
          <nav aria-label="Account">
            <BarLink href={site.to('/docs')} label="Docs" isWideOnly />
            {visit !== null && <AccountMenu site={site} visit={visit} />}
          </nav>
        </header>
        <div class="frame">
          {sections !== null && <SideNavigation {...sections} />}
          <main id="main" class="dash" data-live={live && livePath(site, shop, live)}>
            {sections !== null && page.within !== undefined && (
              <Crumbs section={sections} within={page.within} />
            )}
            <Content {...page} />
          </main>
        </div>
      </>
    ),
  });
}

function Content({ title, heading = title, flash, isSheet = false, children }: Page) {
  const content = (
    <>
      {typeof heading === 'string' ? <h1>{heading}</h1> : heading}
      {flash && <FlashNote {...flash} />}
      {children}
    </>
  );
  return isSheet ? <div class="sheet">{content}</div> : content;
}

export const renderNotice = (site: Site, { title, text, href, label }: Notice): string =>
  renderPage(site, null, {
    title,
    isSheet: true,
    children: (
      <>
        <p>{text}</p>
        <ButtonLine href={site.to(href)} label={label} />
      </>
    ),
  });

/** Who is signed in and where; unfolds to the other places. */
const AccountMenu = ({ site, visit: { shop, session } }: { site: Site; visit: Viewer }) => (
  <details class="menu" data-menu>
    <summary>
      <span>{shop?.name ?? 'Menu'}</span>
    </summary>
    <div class="menu-items">
      <span class="hint">{session.email}</span>
      <a href={site.to('/dashboard/shops')}>Your shops</a>
      {session.operator && <a href={site.to('/dashboard/operator')}>Operator</a>}
      <a href={site.to('/dashboard/account')}>Account</a>
      <ActionForm action={site.to('/dashboard/sign-out')} formToken={session.formToken}>
        <button type="submit">Sign out</button>
      </ActionForm>
    </div>
  </details>
);

/** The navigation that a page stands in: of the shop, or of the operator. */
interface Sections {
  label: string;
  base: string;
  pages: typeof PAGES | typeof OPERATOR_PAGES;
  at: Page['at'] | Page['operatorAt'];
  /** Replies, counted up to a limit. */
  unread?: number | undefined;
}

function sectionsOf(site: Site, { shop, unreadReplies }: Viewer, { at, operatorAt }: Page): Sections | null {
  const base = site.to('/dashboard');
  if (shop) return { label: 'Shop', base: `${base}/${shop.id}`, pages: PAGES, at, unread: unreadReplies };
  if (operatorAt === undefined) return null;
  return { label: 'Operator', base: `${base}/operator`, pages: OPERATOR_PAGES, at: operatorAt };
}

const SideNavigation = ({ label, base, pages, at, unread = 0 }: Sections) => (
  <nav class="side" aria-label={label}>
    {pages.map(({ name, path, title }) => (
      <a href={`${base}${path}`} aria-current={name === at ? 'page' : undefined}>
        {title}
        {name === 'replies' && unread > 0 && (
          <span class="tab-count">
            <span>{unread < UNREAD_COUNTED_MAX ? unread : `${UNREAD_COUNTED_MAX - 1}+`}</span>
            <span class="visually-hidden"> unread</span>
          </span>
        )}
      </a>
    ))}
  </nav>
);

/** The way back up from an inner page. */
function Crumbs({ section: { base, pages, at }, within }: { section: Sections; within: readonly Crumb[] }) {
  const section = pages.find(({ name }) => name === at);
  const crumbs = [...(section ? [{ href: `${base}${section.path}`, label: section.title }] : []), ...within];
  return (
    <nav aria-label="Breadcrumbs">
      <ol class="crumbs">
        {crumbs.map(({ href, label }) => (
          <li>
            <a href={href} dir="auto">
              {label}
            </a>
          </li>
        ))}
      </ol>
    </nav>
  );
}

/** Without a shop, the operator's. */
const livePath = (site: Site, shop: Viewer['shop'] | null, live: NonNullable<Page['live']>): string =>
  withQuery(site.to(`/dashboard/${shop?.id ?? 'operator'}/live`), {
    seen: live.seen,
    message: live.messageId,
    connection: live.connectionId,
    endpoint: live.endpointId,
  });

/** Charts that somebody looks at do not move all the time. */
export const CHARTS_UPDATED_MS = 30 * SECOND;

/** The header of a page that updates itself: a tab that is left open does not keep its session alive. */
export const BACKGROUND_REFRESH = 'x-by-itself';

/**
 * A part of a page that asks for itself again when something changed, at most every so many milliseconds; `also` names other parts by
 * id.
 */
export const updatesItself = (path: string, id: string, also: readonly string[] = [], everyMs = 0) => ({
  id,
  'data-updates': String(everyMs),
  'hx-get': path,
  'hx-trigger': 'changed',
  'hx-target': 'this',
  'hx-select': `#${id}`,
  'hx-swap': 'outerHTML',
  'hx-headers': JSON.stringify({ [BACKGROUND_REFRESH]: 'yes' }),
  ...(also.length > 0 && { 'hx-select-oob': also.map((other) => `#${other}`).join(',') }),
});

/** A form that asks for its preview, the part of the page with this id, while it is filled in. */
export const previewsItself = (path: string) => ({
  'hx-post': path,
  'hx-trigger': 'input delay:500ms, change',
  'hx-target': '#preview',
  'hx-select': '#preview',
  'hx-swap': 'outerHTML',
  'hx-sync': 'this:replace',
});
