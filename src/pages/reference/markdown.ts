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
  const pages = pagesById(reference);
  const to = (slug: string): string => `${publicUrl}/docs${slug === '' ? '' : `/${slug}`}.md`;
  const hrefOf = (id: string): string => to(pages.get(id) ?? '');
  const common = commonCodes(reference);
  const chapter = (id: string): string =>
    withLinks(guideText(id, { description: reference.description }), { hrefOf });

  const overview = (): string[] => [
    `# API reference of Waypost, v${reference.version}`,
    `Base URL: ${publicUrl}${reference.basePath}. OpenAPI: ${publicUrl}/openapi.json.`,
    ...OVERVIEW_GUIDES.flatMap(([id, title]) => [`## ${title}`, chapter(id)]),
    list(LIMITS.map(([what, value]) => `${what}: ${value}`)),
    '## All errors',
    list(reference.failures.map(failureLine)),
  ];

  const resource = ({ id, name, operations }: ReferenceModel['groups'][number]): string[] => [
    `# ${name}`,
    chapter(id),
    ...operations.flatMap(operationParts),
  ];

  const operationParts = (operation: OperationText): string[] => {
    const { method, path, summary, description, parameters, request, success, failures } = operation;
    const own = failures.filter(({ code }) => !common.has(code));
    return [
      `## ${summary}`,
      `\`${method} ${path}\``,
      withLinks(description, { hrefOf }),
      ...fieldParts('Parameters', parameters.map(asParameter)),
      ...fieldParts(
        request?.required === false ? 'Body, which may be left out' : 'Body',
        request?.fields ?? [],
      ),
      fence('sh', curlExample(exampleCall(operation, publicUrl, { apiKey: null, note: null }))),
      `Answer: ${success.status} ${success.description}`,
      ...(success.example === undefined ? [] : [fence('json', asJson(success.example))]),
      ...fieldParts('Fields of the answer', success.fields.map(asAnswered)),
      '### Errors',
      list([...own.map(failureLine), `and [those of every operation](${to('')})`]),
    ];
  };

  const webhooks = (): string[] => [
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

  const partsOf = (page: DocPage): string[] => {
    if (page === EVERYTHING) return [...overview(), ...reference.groups.flatMap(resource), ...webhooks()];
    if (page === OVERVIEW) return [...overview(), '## Resources', list(pageLines())];
    if (page === WEBHOOKS) return webhooks();
    return reference.groups.filter(({ id }) => id === page.slug).flatMap(resource);
  };

  const pageLines = (): string[] =>
    pagesOfReference(reference)
      .filter((page) => page !== OVERVIEW)
      .map(({ slug, title }) => `[${title}](${to(slug)}): ${contentsOf(slug)}`);

  const contentsOf = (slug: string): string =>
    reference.groups
      .find(({ id }) => id === slug)
      ?.operations.map(({ summary }) => summary)
      .join(', ') ?? WEBHOOK_GUIDES.map(([, title]) => title).join(', ');

  return {
    page: (page: DocPage): string => document(partsOf(page)),
    /** What there is to read, by the convention of llmstxt.org. */
    index: (): string =>
      document([
        '# Waypost',
        `> ${reference.description}`,
        chapter('start'),
        '## API reference',
        list([
          `[Overview](${to('')}): ${OVERVIEW_GUIDES.map(([, title]) => title).join(', ')}`,
          ...pageLines(),
        ]),
        '## Optional',
        list([
          `[Everything on one page](${publicUrl}/llms-full.txt)`,
          `[OpenAPI 3.1](${publicUrl}/openapi.json): the same for programs`,
        ]),
      ]),
  };
}

const document = (parts: readonly string[]): string =>
  `${parts.filter((part) => part !== '').join('\n\n')}\n`;
const list = (lines: readonly string[]): string => lines.map((line) => `- ${line}`).join('\n');
const fence = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``;

const failureLine = ({ status, code, sentence }: Failure): string => `${status} \`${code}\`: ${sentence}`;

const fieldParts = (title: string, fields: readonly Field[]): string[] =>
  fields.length === 0 ? [] : [`### ${title}`, fieldLines(fields, '').join('\n')];

function fieldLines(fields: readonly Field[], indent: string): string[] {
  return fields.flatMap(({ name, type, required, description, rules, fields: inner }) => {
    const said = [description, rules.join('; ')].filter((text) => text !== '').join(' ');
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
