import { eventTypes } from '../../contract/eventTypes.ts';
import type { Site } from '../kit/page.tsx';
import type { CodeLanguage } from './examples/languages.ts';
import { OVERVIEW_GUIDES, WEBHOOK_GUIDES } from './guideTexts.ts';
import type { ReferenceModel } from './model.ts';
import type { SignedInReader } from './reader.ts';

/** A page of the reference, by the last part of its address: a resource, the webhooks, or everything. */
export interface DocPage {
  slug: string;
  title: string;
}

export const OVERVIEW: DocPage = { slug: '', title: 'Overview' };
export const WEBHOOKS: DocPage = { slug: 'webhooks', title: 'Webhooks' };
export const EVERYTHING: DocPage = { slug: 'all', title: 'Everything on one page' };

/** What all parts of a page of the reference are made with. */
export interface DocView {
  site: Site;
  reference: ReferenceModel;
  /** Null: the results of a search. */
  page: DocPage | null;
  language: CodeLanguage;
  /** Null: nobody is signed in. */
  reader: SignedInReader | null;
  /** The URL of a page. */
  to(slug: string): string;
  /** Where a part of the reference is, on this page or on another. */
  hrefOf(id: string): string;
}

type ViewProps = Pick<DocView, 'site' | 'reference' | 'page' | 'language' | 'reader'>;

export function openView(props: ViewProps): DocView {
  const to = (slug: string): string => props.site.to(slug === '' ? '/docs' : `/docs/${slug}`);
  const pages = pagesById(props.reference);
  const hrefOf = (id: string): string => {
    const slug = pages.get(id) ?? '';
    return props.page?.slug === slug || props.page === EVERYTHING ? `#${id}` : `${to(slug)}#${id}`;
  };
  return { ...props, to, hrefOf };
}

/** The pages in their order, without the one that has everything. */
export const pagesOfReference = ({ groups }: ReferenceModel): readonly DocPage[] => [
  OVERVIEW,
  ...groups.map(({ id, name }) => ({ slug: id, title: name })),
  WEBHOOKS,
];

/** The page of each part that something else leads to. */
export const pagesById = ({ groups, failures }: ReferenceModel): ReadonlyMap<string, string> =>
  new Map([
    ...OVERVIEW_GUIDES.map(([id]) => [id, ''] as const),
    ...failures.map(({ code }) => [`error-${code}`, ''] as const),
    ...groups.flatMap(({ id, operations }) =>
      [id, ...operations.map((one) => one.id)].map((part) => [part, id] as const),
    ),
    ...[...WEBHOOK_GUIDES.map(([id]) => id), ...eventTypes.map((type) => `event-${type}`)].map(
      (part) => [part, WEBHOOKS.slug] as const,
    ),
  ]);

/** A text whose links to parts of the reference lead to their pages. */
export const withLinks = (text: string, { hrefOf }: Pick<DocView, 'hrefOf'>): string =>
  text.replace(/\]\(#([^()\s]+)\)/g, (_, id: string) => `](${hrefOf(id)})`);
