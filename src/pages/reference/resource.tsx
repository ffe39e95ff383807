import { Prose } from '../kit/code.tsx';
import { guideText } from './guideTexts.ts';
import { commonCodes, type ReferenceModel } from './model.ts';
import { Anchor, Method, OperationSection } from './operation.tsx';
import { type DocView, withLinks } from './view.ts';

interface ResourceProps {
  view: DocView;
  group: ReferenceModel['groups'][number];
  /** The page's own heading names it. */
  isOwnPage: boolean;
}

/** All operations of a resource. */
export function ResourceSection({ view, group, isOwnPage }: ResourceProps) {
  const { id, name, operations } = group;
  const common = commonCodes(view.reference);
  return (
    <section class={['group', isOwnPage && 'alone']} id={isOwnPage ? undefined : id} aria-label={name}>
      {!isOwnPage && (
        <h2>
          <Anchor id={id}>{name}</Anchor>
        </h2>
      )}
      <div class="operation about">
        <div class="explained">
          <Prose text={withLinks(guideText(id), view)} />
        </div>
        <ul class="endpoints" aria-label={`Operations: ${name}`}>
          {operations.map((operation) => (
            <li>
              <a href={`#${operation.id}`}>
                <Method name={operation.method} />
                <code>{operation.path.replace(view.reference.basePath, '')}</code>
              </a>
            </li>
          ))}
        </ul>
      </div>
      {operations.map((operation) => (
        <OperationSection view={view} operation={operation} common={common} isOwnPage={isOwnPage} />
      ))}
    </section>
  );
}
