import type { Children } from '../../kit/jsxRuntime.ts';
import { OVERVIEW_GUIDES, WEBHOOK_GUIDES } from './guideTexts.ts';
import { Method } from './operation.tsx';
import { DOC_QUERY_MAX } from './search.ts';
import { type DocPage, type DocView, EVERYTHING, OVERVIEW, WEBHOOKS } from './view.ts';

/** Open beside the text on a wide screen; otherwise a line that unfolds. */
export const Sidebar = ({ view, query }: { view: DocView; query: string }) => (
  <div class="side">
    <search>
      <form method="get" action={view.to('')}>
        <input
          type="search"
          name="q"
          value={query}
          maxlength={DOC_QUERY_MAX}
          placeholder="Search"
          aria-label="Search the reference"
          aria-keyshortcuts="/"
          autocomplete="off"
          data-search
        />
        <span class="slash" aria-hidden="true">
          /
        </span>
      </form>
    </search>
    <nav class="contents" aria-label="Contents">
      <details data-contents>
        <summary>Contents</summary>
        <div class="chapters">
          <Chapter title="Basics">
            <PageLink view={view} page={OVERVIEW} />
            {OVERVIEW_GUIDES.map(([id, title]) => (
              <li>
                <a href={view.hrefOf(id)}>{title}</a>
              </li>
            ))}
          </Chapter>
          <Chapter title="Resources">
            {view.reference.groups.map(({ id, name, operations }) => (
              <PageLink view={view} page={{ slug: id, title: name }}>
                {operations.map((operation) => (
                  <li>
                    <a href={view.hrefOf(operation.id)}>
                      <Method name={operation.method} />
                      <span>{operation.shortName}</span>
                    </a>
                  </li>
                ))}
              </PageLink>
            ))}
            <PageLink view={view} page={WEBHOOKS}>
              {WEBHOOK_GUIDES.map(([id, title]) => (
                <li>
                  <a href={view.hrefOf(id)}>{title}</a>
                </li>
              ))}
            </PageLink>
          </Chapter>
          <Chapter title="Elsewhere">
            <PageLink view={view} page={EVERYTHING} />
            {['openapi.json', 'openapi.yaml'].map((file) => (
              <li>
                <a href={view.site.to(`/${file}`)}>{file}</a>
              </li>
            ))}
          </Chapter>
        </div>
      </details>
    </nav>
  </div>
);

const Chapter = ({ title, children }: { title: string; children: Children }) => (
  <div>
    <h2>{title}</h2>
    <ul>{children}</ul>
  </div>
);

interface PageLinkProps {
  view: DocView;
  page: DocPage;
  /** Its parts, which unfold while it is shown. */
  children?: Children;
}

function PageLink({ view, page, children }: PageLinkProps) {
  const isCurrent = view.page?.slug === page.slug;
  return (
    <li>
      <a href={view.to(page.slug)} aria-current={isCurrent ? 'page' : undefined}>
        {page.title}
      </a>
      {children !== undefined && (isCurrent || view.page === EVERYTHING) && <ul class="parts">{children}</ul>}
    </li>
  );
}
