import type { FastifyInstance, FastifyReply } from 'fastify';
import { ApiError } from '../../kit/errors.ts';
import type { Children } from '../../kit/jsxRuntime.ts';
import { trimEndChars } from '../../kit/trimEndChars.ts';
import { type AssetFile, CACHED_FOREVER, loadShellAssets } from './assets.ts';

export type Site = ReturnType<typeof openSite>;

/** Where the developer pages are: below the public URL, which may have a path. `sandbox`: it exists. */
export function openSite({ publicUrl, sandbox }: { publicUrl: string; sandbox: boolean }) {
  const base = trimEndChars(new URL(publicUrl).pathname, '/');
  /** The URL of one of our own paths. */
  const to = (path: string): string => `${base}${path}`;
  return { publicUrl, sandbox, assets: loadShellAssets(), to };
}

/** Every page loads these; an unknown name gets a plain 404. */
export function assetRoutes(app: FastifyInstance, { assets }: Site): void {
  app.get<{ Params: { name: string } }>('/page-assets/:name', async (request, reply) => {
    const asset = assets.find(request.params.name);
    if (asset === null) throw new ApiError('common.not_found');
    return reply
      .type(asset.type)
      .headers({
        ...CACHED_FOREVER,
        'x-content-type-options': 'nosniff',
        'cross-origin-resource-policy': 'same-origin',
      })
      .send(asset.content);
  });
}

interface ShellProps {
  site: Site;
  at: 'home' | 'reference' | 'sandbox' | null;
  title: string;
  description?: string;
  files?: readonly AssetFile[];
  children: JSX.Element;
}

/** The whole document of a developer page: head, navigation bar and content. */
export function shell({ at, children, ...document }: ShellProps): string {
  const { site } = document;
  return htmlDocument({
    ...document,
    children: (
      <>
        <header class="bar">
          <WaypostBrand site={site} href="/" current={at === 'home'} />
          <nav aria-label="Pages">
            <BarLink href={site.to('/docs')} label="Reference" isCurrent={at === 'reference'} />
            {site.sandbox && (
              <BarLink href={site.to('/sandbox')} label="Sandbox" isCurrent={at === 'sandbox'} />
            )}
          </nav>
        </header>
        {children}
      </>
    ),
  });
}

interface BarLinkProps {
  href: string;
  label: string;
  isCurrent?: boolean;
  /** Left out where the bar is narrow. */
  isWideOnly?: boolean;
}

export const BarLink = ({ href, label, isCurrent = false, isWideOnly = false }: BarLinkProps) => (
  <a
    class={isWideOnly ? 'bar-link wide-only' : 'bar-link'}
    href={href}
    aria-current={isCurrent ? 'page' : undefined}
  >
    {label}
  </a>
);

export const assetUrl = (site: Site, file: AssetFile): string =>
  site.to(`/page-assets/${site.assets.nameOf(file)}`);

/** The mark and name in a page's bar. */
export function WaypostBrand({
  site,
  href,
  current = false,
}: {
  site: Site;
  href: string;
  current?: boolean;
}) {
  return (
    <a class="brand" href={site.to(href)} aria-current={current ? 'page' : undefined}>
      <img src={assetUrl(site, 'waypost.svg')} alt="" width="28" height="28" />
      <span>Waypost</span>
    </a>
  );
}

interface DocumentProps extends Pick<ShellProps, 'site' | 'title' | 'description' | 'files' | 'children'> {
  /** For pages that no search engine should list. */
  unlisted?: boolean;
}

/** What the content security policy forbids is off from the start; no page is kept in the browser's storage. */
const HTMX_CONFIG = JSON.stringify({
  allowEval: false,
  allowScriptTags: false,
  includeIndicatorStyles: false,
  selfRequestsOnly: true,
  historyEnabled: false,
});

/** A document with the look of our pages; its bar and its content are the caller's. */
export function htmlDocument({
  site,
  title,
  description,
  files = [],
  unlisted = false,
  children,
}: DocumentProps): string {
  const all: readonly AssetFile[] = ['shell.css', 'shell.js', ...files];
  const page = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        {unlisted && <meta name="robots" content="noindex, nofollow" />}
        {files.includes('htmx.js') && <meta name="htmx-config" content={HTMX_CONFIG} />}
        {description !== undefined && <meta name="description" content={description} />}
        <title>{title}</title>
        <link rel="icon" type="image/svg+xml" href={assetUrl(site, 'waypost.svg')} />
        {all
          .filter((file) => file.endsWith('.css'))
          .map((file) => (
            <link rel="stylesheet" href={assetUrl(site, file)} />
          ))}
        {all
          .filter((file) => file.endsWith('.js'))
          .map((file) => (
            <script src={assetUrl(site, file)} type="module" />
          ))}
      </head>
      <body>
        <a class="skip" href="#main">
          To the content
        </a>
        {children}
      </body>
    </html>
  );
  return `<!doctype html>${page}`;
}

/** Sends a page in a scope that has set its headers. */
export const sendHtml = (reply: FastifyReply, status: number, page: string): FastifyReply =>
  reply.code(status).type('text/html; charset=utf-8').send(page);

/** A page with one message. */
export const notice = (site: Site, title: string, content: Children): string =>
  shell({
    site,
    at: null,
    title: `${title} · Waypost`,
    children: (
      <main id="main" class="notice">
        <h1>{title}</h1>
        {content}
      </main>
    ),
  });
