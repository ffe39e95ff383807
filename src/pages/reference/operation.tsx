import type { Children } from '../../kit/jsxRuntime.ts';
import { asJson, CodeBlock, Inline, JsonCode, Prose } from '../kit/code.tsx';
import { OperationExample } from './examples/example.tsx';
import { FailureList } from './failures.tsx';
import type { Field } from './fields.ts';
import type { OperationText, Parameter } from './model.ts';
import { type DocView, withLinks } from './view.ts';

interface OperationProps {
  view: DocView;
  operation: OperationText;
  /** Codes of every operation, which are listed apart from its own. */
  common: ReadonlySet<string>;
  /** Whether it is on the page of its resource, a level higher. */
  isOwnPage: boolean;
}

/** One operation: its description and fields on one side, an example call and response on the other. */
export function OperationSection({ view, operation, common, isOwnPage }: OperationProps) {
  const { id, method, path, summary, description, parameters, request, success } = operation;
  const Title = isOwnPage ? 'h2' : 'h3';
  const placed = (place: Parameter['place']) => parameters.filter((parameter) => parameter.place === place);
  return (
    <article class="operation" id={id}>
      <div class="explained">
        <Title>
          <Anchor id={id}>{summary}</Anchor>
        </Title>
        <p class="route">
          <Method name={method} />
          <code>{path}</code>
        </p>
        <Prose text={withLinks(description, view)} />
        <Fields title="In the path" id={`${id}.path`} fields={placed('path')} isOwnPage={isOwnPage} />
        <Fields title="In the query" id={`${id}.query`} fields={placed('query')} isOwnPage={isOwnPage} />
        <Fields title="Headers" id={`${id}.header`} fields={placed('header')} isOwnPage={isOwnPage} />
        {request !== null && (
          <Fields
            title={request.required ? 'Body' : 'Body, which may be left out'}
            id={`${id}.body`}
            fields={request.fields}
            isOwnPage={isOwnPage}
          />
        )}
        {success.fields.length > 0 && (
          <details class="answer" id={`${id}.answer`}>
            <summary>Fields of the answer</summary>
            <FieldList id={`${id}.answer`} fields={success.fields} isOwnPage={isOwnPage} />
          </details>
        )}
        <Failures view={view} operation={operation} common={common} isOwnPage={isOwnPage} />
      </div>
      <div class="shown">
        <OperationExample view={view} id={`${id}.call`} operation={operation} />
        <CodeBlock label="Answer" note={`${success.status} ${success.description}`}>
          {success.example === undefined ? 'No body.' : <JsonCode text={asJson(success.example)} />}
        </CodeBlock>
      </div>
    </article>
  );
}

/** A heading that leads to itself, so that its address can be copied. */
export const Anchor = ({ id, children }: { id: string; children: Children }) => (
  <a class="anchor" href={`#${id}`}>
    {children}
  </a>
);

export function Method({ name }: { name: string }) {
  return <span class={['method', `method-${name.toLowerCase()}`]}>{name}</span>;
}

interface PartProps extends Pick<OperationProps, 'isOwnPage'> {
  id: string;
  title: string;
  children: Children;
}

/** A part of an operation under a heading. */
function Part({ id, title, isOwnPage, children }: PartProps) {
  const Title = isOwnPage ? 'h3' : 'h4';
  return (
    <section id={id} class="part">
      <Title>
        <Anchor id={id}>{title}</Anchor>
      </Title>
      {children}
    </section>
  );
}

interface FieldsProps extends Omit<PartProps, 'children'> {
  fields: readonly Field[];
}

const Fields = ({ fields, ...part }: FieldsProps): JSX.Element | false =>
  fields.length > 0 && (
    <Part {...part}>
      <FieldList {...part} fields={fields} />
    </Part>
  );

/**
 * A response always has every field, so only request fields are marked as required. A field's address is on the page of its
 * resource: on the one that has everything, the addresses would be a fifth of what is sent.
 */
function FieldList({ id, fields, isOwnPage }: Omit<FieldsProps, 'title'>) {
  const isAnswer = id.includes('.answer');
  return (
    <ul class="fields">
      {fields.map((field) => {
        const own = `${id}.${field.name}`;
        const name = <code>{field.name}</code>;
        return (
          <li id={isOwnPage ? own : undefined}>
            <p class="field">
              {isOwnPage ? <Anchor id={own}>{name}</Anchor> : name} <span class="type">{field.type}</span>{' '}
              {field.required && !isAnswer && <span class="required">required</span>}
            </p>
            {field.description !== '' && (
              <p>
                <Inline text={field.description} />
              </p>
            )}
            {field.rules.length > 0 && (
              <p class="rules">
                <Inline text={sentence(field.rules)} />
              </p>
            )}
            <KnownValues known={field.known} />
            {field.fields.length > 0 && (
              <details>
                <summary>
                  Fields of <code>{field.name}</code>
                </summary>
                <FieldList id={own} fields={field.fields} isOwnPage={isOwnPage} />
              </details>
            )}
          </li>
        );
      })}
    </ul>
  );
}

/** More than these are folded away. */
const KNOWN_SHOWN_MAX = 8;

function KnownValues({ known }: Pick<Field, 'known'>) {
  if (known.length === 0) return null;
  const words = <Inline text={known.join(', ')} />;
  return known.length > KNOWN_SHOWN_MAX ? (
    <details>
      <summary>So far one of {known.length} values</summary>
      <p class="rules">{words}.</p>
    </details>
  ) : (
    <p class="rules">So far one of {words}.</p>
  );
}

const sentence = (rules: readonly string[]): string => {
  const text = rules.join('; ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
};

/** On the page that has everything, the bodies and the errors of every operation stand with the chapter on errors alone. */
function Failures({ view, operation, common, isOwnPage }: OperationProps) {
  const own = operation.failures.filter(({ code }) => !common.has(code));
  const shared = operation.failures.filter(({ code }) => common.has(code));
  return (
    <Part id={`${operation.id}.errors`} title="Errors" isOwnPage={isOwnPage}>
      {own.length > 0 && <FailureList view={view} failures={own} hasBodies={isOwnPage} />}
      {shared.length > 0 &&
        (isOwnPage ? (
          <details>
            <summary>
              {own.length === 0 ? 'Those of every operation' : 'And those of every operation'}
            </summary>
            <FailureList view={view} failures={shared} hasBodies={false} />
          </details>
        ) : (
          <p>
            <a href={view.hrefOf('errors')}>
              {own.length === 0 ? 'Those of every operation' : 'And those of every operation'}
            </a>
          </p>
        ))}
    </Part>
  );
}
