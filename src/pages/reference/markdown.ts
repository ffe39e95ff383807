import { EVENTS, eventTypes } from '../../contract/eventTypes.ts';
import { asJson } from '../kit/code.tsx';
import type { Site } from '../kit/page.tsx';
import { exampleCall } from './examples/call.ts';
import { curlExample } from './examples/curl.ts';
import type { Field } from './fields.ts';
import { LIMITS } from './guides.tsx';
import { guideText, OVERVIEW_GUIDES, WEBHOOK_GUIDES } from './guideTexts.ts';
import {
  commonCodes,
  type Failure,
  type OperationText,
  type Parameter,
  type ReferenceModel,
} from './model.ts';
import {
  type DocPage,
  EVERYTHING,
  OVERVIEW,
  pagesById,
  pagesOfReference,
  WEBHOOKS,
  withLinks,
} from './view.ts';
import { ENVELOPE_FIELDS, HEADERS, sampleOf, VERIFY } from './webhooks.tsx';

/** The reference in Markdown, for programs that read it: each page of /docs at its address and `.md`. */
export function markdownReference(reference: ReferenceModel, { publicUrl }: Pick<Site, 'publicUrl'>) {
  const view = openMarkdown(reference, publicUrl);
  const partsOf = (page: DocPage): string[] => {
    if (page === EVERYTHING)
      return [
        ...overview(view),
        ...reference.groups.flatMap((group) => resource(view, group)),
        ...webhooks(view),
      ];
    if (page === OVERVIEW) return [...overview(view), '## Resources', list(pageLines(view))];
    if (page === WEBHOOKS) return webhooks(view);
    return reference.groups.filter(({ id }) => id === page.slug).flatMap((group) => resource(view, group));
  };
  return {
    page: (page: DocPage): string => document(partsOf(page)),
    /** What there is to read, by the convention of llmstxt.org. */
    index: (): string => document(indexParts(view)),
  };
}

type MarkdownView = ReturnType<typeof openMarkdown>;

function openMarkdown(reference: ReferenceModel, publicUrl: string) {
  const pages = pagesById(reference);
  const to = (slug: string): string => `${publicUrl}/docs${slug === '' ? '' : `/${slug}`}.md`;
  const linked = (text: string): string => withLinks(text, { hrefOf: (id) => to(pages.get(id) ?? '') });
  return {
    reference,
    publicUrl,
    /** The URL of a page. */
    to,
    /** A text whose links lead to pages in Markdown. */
    linked,
    chapter: (id: string): string => linked(guideText(id, { description: reference.description })),
    common: commonCodes(reference),
  };
}

const overview = ({ reference, publicUrl, chapter }: MarkdownView): string[] => [
  `# API reference of Waypost, v${reference.version}`,
  `Base URL: ${publicUrl}${reference.basePath}. OpenAPI: ${publicUrl}/openapi.json.`,
  ...OVERVIEW_GUIDES.flatMap(([id, title]) => [`## ${title}`, chapter(id)]),
  list(LIMITS.map(([what, value]) => `${what}: ${value}`)),
  '## All errors',
  list(reference.failures.map(failureLine)),
];

const resource = (
  view: MarkdownView,
  { id, name, operations }: ReferenceModel['groups'][number],
): string[] => [
  `# ${name}`,
  view.chapter(id),
  ...operations.flatMap((operation) => operationParts(view, operation)),
];

function operationParts({ publicUrl, to, linked, common }: MarkdownView, operation: OperationText): string[] {
  const { method, path, summary, description, parameters, request, success, failures } = operation;
  const own = failures.filter(({ code }) => !common.has(code));
  const bodyTitle = request?.required === false ? 'Body, which may be left out' : 'Body';
  return [
    `## ${summary}`,
    `\`${method} ${path}\``,
    linked(description),
    ...fieldParts('Parameters', parameters.map(asParameter)),
    ...fieldParts(bodyTitle, request?.fields ?? []),
    fence('sh', curlExample(exampleCall(operation, publicUrl, { apiKey: null, note: null }))),
    `Answer: ${success.status} ${success.description}`,
    ...(success.example === undefined ? [] : [fence('json', asJson(success.example))]),
    ...fieldParts('Fields of the answer', success.fields.map(asAnswered)),
    '### Errors',
    list([...own.map(failureLine), `and [those of every operation](${to('')})`]),
  ];
}

const webhooks = ({ chapter }: MarkdownView): string[] => [
  '# Webhooks',
  ...WEBHOOK_GUIDES.flatMap(([id, title]) => [
    `## ${title}`,
    chapter(id),
    ...(id === 'webhooks'
      ? [list([...ENVELOPE_FIELDS, ...HEADERS].map(([name, text]) => `\`${name}\`: ${text}`))]
      : []),
    ...(id === 'webhooks.signature' ? [fence('js', VERIFY)] : []),
  ]),
  ...eventTypes.flatMap((type) => [
    `### \`${type}\``,
    EVENTS[type].meaning,
    fence('json', asJson(sampleOf(type))),
  ]),
];

const pageLines = (view: MarkdownView): string[] =>
  pagesOfReference(view.reference)
    .filter((page) => page !== OVERVIEW)
    .map(({ slug, title }) => `[${title}](${view.to(slug)}): ${contentsOf(view, slug)}`);

const contentsOf = ({ reference }: MarkdownView, slug: string): string =>
  reference.groups
    .find(({ id }) => id === slug)
    ?.operations.map(({ summary }) => summary)
    .join(', ') ?? WEBHOOK_GUIDES.map(([, title]) => title).join(', ');

const indexParts = (view: MarkdownView): string[] => [
  '# Waypost',
  `> ${view.reference.description}`,
  view.chapter('start'),
  '## API reference',
  list([
    `[Overview](${view.to('')}): ${OVERVIEW_GUIDES.map(([, title]) => title).join(', ')}`,
    ...pageLines(view),
  ]),
  '## Optional',
  list([
    `[Everything on one page](${view.publicUrl}/llms-full.txt)`,
    `[OpenAPI 3.1](${view.publicUrl}/openapi.json): the same for programs`,
  ]),
];

const document = (parts: readonly string[]): string =>
  `${parts.filter((part) => part !== '').join('\n\n')}\n`;
const list = (lines: readonly string[]): string => lines.map((line) => `- ${line}`).join('\n');
const fence = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``;

const failureLine = ({ status, code, sentence }: Failure): string => `${status} \`${code}\`: ${sentence}`;

const fieldParts = (title: string, fields: readonly Field[]): string[] =>
  fields.length === 0 ? [] : [`### ${title}`, fieldLines(fields, '').join('\n')];

function fieldLines(fields: readonly Field[], indent: string): string[] {
  return fields.flatMap(({ name, type, required, description, rules, known, fields: inner }) => {
    const values = known.length === 0 ? [] : [`so far one of ${known.join(', ')}`];
    const said = [description, [...rules, ...values].join('; ')].filter((text) => text !== '').join(' ');
    const line = `${indent}- \`${name}\` (${type}${required ? ', required' : ''})${said === '' ? '' : `: ${said}`}`;
    return [line, ...fieldLines(inner, `${indent}  `)];
  });
}

const asParameter = ({ place, type, ...field }: Parameter): Field => ({
  ...field,
  type: `${type}, in the ${place}`,
});

/** An answer has every field. */
const asAnswered = (field: Field): Field => ({
  ...field,
  required: false,
  fields: field.fields.map(asAnswered),
});
