import { type Site, shell } from '../kit/page.tsx';
import { AuthenticationGuide, Errors, Idempotency, Limits, Start } from './guides.tsx';
import { type Group, type ReferenceModel, readReference } from './model.ts';
import { Method, OperationSection } from './operation.tsx';
import { WebhooksGuide } from './webhooks.tsx';

/** The whole reference on one page, built from the OpenAPI document. */
export function referencePage(site: Site, document: Record<string, unknown>): string {
  const reference = readReference(document);
  const { publicUrl } = site;
  const common = commonCodes(reference);
  return shell({
    site,
    at: 'reference',
    title: 'API reference · Waypost',
    description: reference.description,
    files: ['reference.css'],
    children: (
      <div class="reference">
        <Contents site={site} reference={reference} />
        <main id="main">
          <h1>
            API reference <span class="version">{`v${reference.version}`}</span>
          </h1>
          <Start publicUrl={publicUrl} description={reference.description} />
          <AuthenticationGuide publicUrl={publicUrl} />
          <Idempotency />
          <Errors failures={reference.failures} />
          <Limits />
          {reference.groups.map((group) => (
            <section class="group" id={group.id}>
              <h2>
                <a class="anchor" href={`#${group.id}`}>
                  {group.name}
                </a>
              </h2>
              {group.operations.map((operation) => (
                <OperationSection operation={operation} publicUrl={publicUrl} common={common} />
              ))}
            </section>
          ))}
          <WebhooksGuide />
        </main>
      </div>
    ),
  });
}

function commonCodes({ groups }: ReferenceModel): ReadonlySet<string> {
  const sets = groups.flatMap(({ operations }) =>
    operations.map(({ failures }) => new Set(failures.map(({ code }) => code))),
  );
  return new Set([...(sets[0] ?? [])].filter((code) => sets.every((set) => set.has(code))));
}

const GUIDES = [
  ['start', 'Start here'],
  ['authentication', 'Authentication'],
  ['idempotency', 'Idempotency'],
  ['errors', 'Errors'],
  ['limits', 'Limits'],
] as const;

const WEBHOOK_GUIDES = [
  ['webhooks', 'What arrives'],
  ['webhooks.signature', 'Check the signature'],
  ['webhooks.retries', 'Retries'],
  ['webhooks.events', 'Events'],
] as const;

/** Open beside the text on a wide screen; otherwise a line that unfolds. */
function Contents({ site, reference }: { site: Site; reference: ReferenceModel }): JSX.Element {
  return (
    <nav class="contents" aria-label="Contents">
      <details data-contents>
        <summary>Contents</summary>
        <div class="chapters">
          <Links title="Basics" links={GUIDES} />
          {reference.groups.map((group) => (
            <GroupLinks group={group} />
          ))}
          <Links title="Webhooks" links={WEBHOOK_GUIDES} />
          <div>
            <h2>For machines</h2>
            <ul>
              <li>
                <a href={site.to('/openapi.json')}>openapi.json</a>
              </li>
              <li>
                <a href={site.to('/openapi.yaml')}>openapi.yaml</a>
              </li>
            </ul>
          </div>
        </div>
      </details>
    </nav>
  );
}

function Links({
  title,
  links,
}: {
  title: string;
  links: readonly (readonly [string, string])[];
}): JSX.Element {
  return (
    <div>
      <h2>{title}</h2>
      <ul>
        {links.map(([id, text]) => (
          <li>
            <a href={`#${id}`}>{text}</a>
          </li>
        ))}
      </ul>
    </div>
  );
}

function GroupLinks({ group }: { group: Group }): JSX.Element {
  return (
    <div>
      <h2>{group.name}</h2>
      <ul>
        {group.operations.map(({ id, method, summary }) => (
          <li>
            <a href={`#${id}`}>
              <Method name={method} />
              <span>{summary}</span>
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}
