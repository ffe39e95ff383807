import type { Children } from '../../kit/jsxRuntime.ts';
import { shell } from '../kit/page.tsx';
import { Basics } from './guides.tsx';
import { OperationIndex } from './operationIndex.tsx';
import { ReaderNote } from './readerNote.tsx';
import { ResourceSection } from './resource.tsx';
import { DocResults } from './results.tsx';
import type { DocMatches } from './search.ts';
import { Sidebar } from './sidebar.tsx';
import { type DocPage, type DocView, EVERYTHING, OVERVIEW, pagesOfReference, WEBHOOKS } from './view.ts';
import { WebhooksGuide } from './webhooks.tsx';

/** A page of the reference, built from the OpenAPI document. */
export function referencePage(view: DocView, page: DocPage): string {
  const { reference } = view;
  const parts = partsOf(view, page);
  return documentOf(view, page === OVERVIEW ? 'API reference' : `${page.title} · API reference`, '', [
    parts.title,
    <ReaderNote view={view} />,
    parts.content,
    page !== EVERYTHING && <Neighbours view={view} pages={pagesOfReference(reference)} page={page} />,
  ]);
}

/** What was found, or that nothing was. */
export const searchPage = (view: DocView, query: string, found: DocMatches): string =>
  documentOf(view, `${query} · API reference`, query, <DocResults view={view} query={query} found={found} />);

function partsOf(view: DocView, page: DocPage): { title: Children; content: Children } {
  const { reference } = view;
  if (page === WEBHOOKS) return { title: <h1>Webhooks</h1>, content: <WebhooksGuide view={view} /> };
  const group = reference.groups.find(({ id }) => id === page.slug);
  if (group !== undefined)
    return {
      title: <h1 id={group.id}>{group.name}</h1>,
      content: <ResourceSection view={view} group={group} isOwnPage={true} />,
    };
  const title = (
    <h1>
      API reference <span class="version">{`v${reference.version}`}</span>
    </h1>
  );
  if (page !== EVERYTHING)
    return { title, content: [<Basics view={view} />, <OperationIndex view={view} />] };
  return {
    title,
    content: [
      <Basics view={view} />,
      ...reference.groups.map((one) => <ResourceSection view={view} group={one} isOwnPage={false} />),
      <WebhooksGuide view={view} />,
    ],
  };
}

const documentOf = (view: DocView, title: string, query: string, children: Children): string =>
  shell({
    site: view.site,
    at: 'reference',
    title: `${title} · Waypost`,
    description: view.reference.description,
    files: ['reference.css'],
    children: (
      <div class="reference">
        <Sidebar view={view} query={query} />
        <main id="main">{children}</main>
      </div>
    ),
  });

interface NeighboursProps {
  view: DocView;
  pages: ReturnType<typeof pagesOfReference>;
  page: DocPage;
}

/** For those who read on. */
function Neighbours({ view, pages, page }: NeighboursProps) {
  const at = pages.findIndex(({ slug }) => slug === page.slug);
  const [before, after] = [pages[at - 1], pages[at + 1]];
  return (
    <nav class="neighbours" aria-label="Before and after">
      {before !== undefined && <a href={view.to(before.slug)}>{`← ${before.title}`}</a>}
      {after !== undefined && (
        <a class="after" href={view.to(after.slug)}>
          {`${after.title} →`}
        </a>
      )}
    </nav>
  );
}
