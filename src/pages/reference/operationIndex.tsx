import { eventTypes } from '../../contract/eventTypes.ts';
import { WEBHOOK_GUIDES } from './guideTexts.ts';
import { Anchor, Method } from './operation.tsx';
import { type DocView, WEBHOOKS } from './view.ts';

/**
 * Every operation and event with its page. When the reference was one page, they were here: their ids still are, so that old links
 * lead to the entry, and with the script on to the page.
 */
export const OperationIndex = ({ view }: { view: DocView }) => (
  <section class="guide" id="resources" aria-labelledby="resources.title">
    <h2 id="resources.title">
      <Anchor id="resources">Resources</Anchor>
    </h2>
    <div class="index">
      {view.reference.groups.map(({ id, name, operations }) => (
        <section id={id} data-moved={view.to(id)}>
          <h3>
            <a href={view.to(id)}>{name}</a>
          </h3>
          <ul>
            {operations.map((operation) => (
              <li id={operation.id} data-moved={view.to(id)}>
                <a href={view.hrefOf(operation.id)}>
                  <Method name={operation.method} />
                  <span>{operation.shortName}</span>
                </a>
              </li>
            ))}
          </ul>
        </section>
      ))}
      <section>
        <h3>
          <a href={view.to(WEBHOOKS.slug)}>Webhooks</a>
        </h3>
        <ul>
          {WEBHOOK_GUIDES.map(([id, title]) => (
            <li id={id} data-moved={view.to(WEBHOOKS.slug)}>
              <a href={view.hrefOf(id)}>{title}</a>
            </li>
          ))}
        </ul>
        <details>
          <summary>{`${eventTypes.length} types of events`}</summary>
          <ul>
            {eventTypes.map((type) => (
              <li id={`event-${type}`} data-moved={view.to(WEBHOOKS.slug)}>
                <a href={view.hrefOf(`event-${type}`)}>
                  <code>{type}</code>
                </a>
              </li>
            ))}
          </ul>
        </details>
      </section>
    </div>
  </section>
);
