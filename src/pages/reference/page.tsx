import { type Site, shell } from '../kit/page.tsx';
import { Basics } from './guides.tsx';
import { type ReferenceModel, readReference } from './model.ts';
import { Anchor, Method, OperationSection } from './operation.tsx';
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
          <Basics {...reference} publicUrl={publicUrl} />
          {reference.groups.map((group) => (
            <section class="group" id={group.id}>
              <h2>
                <Anchor id={group.id}>{group.name}</Anchor>
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
const Contents = ({ site, reference }: { site: Site; reference: ReferenceModel }) => (
  <nav class="contents" aria-label="Contents">
    <details data-contents>
      <summary>Contents</summary>
      <div class="chapters">
        <Links title="Basics" links={GUIDES.map(([id, title]) => [`#${id}`, title])} />
        {reference.groups.map(({ name, operations }) => (
          <Links
            title={name}
            links={operations.map(({ id, method, summary }) => [`#${id}`, summary, method])}
          />
        ))}
        <Links title="Webhooks" links={WEBHOOK_GUIDES.map(([id, title]) => [`#${id}`, title])} />
        <Links
          title="For machines"
          links={['openapi.json', 'openapi.yaml'].map((file) => [site.to(`/${file}`), file])}
        />
      </div>
    </details>
  </nav>
);

interface LinksProps {
  title: string;
  links: readonly (readonly [href: string, text: string, method?: string])[];
}

const Links = ({ title, links }: LinksProps) => (
  <div>
    <h2>{title}</h2>
    <ul>
      {links.map(([href, text, method]) => (
        <li>
          <a href={href}>
            {method !== undefined && <Method name={method} />}
            <span>{text}</span>
          </a>
        </li>
      ))}
    </ul>
  </div>
);
