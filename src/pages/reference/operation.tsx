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
  const placed = (place: Parameter['place']) => parameters.filter((parameter) => parameter.place === place);
  return (
    <article class="operation" id={id}>
      <div class="explained">
        {isOwnPage ? (
          <h2>
            <Anchor id={id}>{summary}</Anchor>
          </h2>
        ) : (
          <h3>
            <Anchor id={id}>{summary}</Anchor>
          </h3>
        )}
        <p class="route">
          <Method name={method} />
          <code>{path}</code>
        </p>
        <Prose text={withLinks(description, view)} />
        <Fields title="In the path" id={`${id}.path`} fields={placed('path')} />
        <Fields title="In the query" id={`${id}.query`} fields={placed('query')} />
        <Fields title="Headers" id={`${id}.header`} fields={placed('header')} />
        {request !== null && (
          <Fields
            title={request.required ? 'Body' : 'Body, which may be left out'}
            id={`${id}.body`}
            fields={request.fields}
          />
        )}
        {success.fields.length > 0 && (
          <details class="answer" id={`${id}.answer`}>
            <summary>Fields of the answer</summary>
            <FieldList id={`${id}.answer`} fields={success.fields} />
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

/** A part of an operation under a heading. */
const Part = ({ id, title, children }: { id: string; title: string; children: Children }) => (
  <section id={id} class="part">
    <h4>
      <Anchor id={id}>{title}</Anchor>
    </h4>
    {children}
  </section>
);

interface FieldsProps {
  title: string;
  id: string;
  fields: readonly Field[];
}

const Fields = ({ title, id, fields }: FieldsProps): JSX.Element | false =>
  fields.length > 0 && (
    <Part id={id} title={title}>
      <FieldList id={id} fields={fields} />
    </Part>
  );

/** A response always has every field, so only request fields are marked as required. */
function FieldList({ id, fields }: { id: string; fields: readonly Field[] }) {
  const isAnswer = id.includes('.answer');
  return (
    <ul class="fields">
      {fields.map((field) => {
        const own = `${id}.${field.name}`;
        return (
          <li id={own}>
            <p class="field">
              <Anchor id={own}>
                <code>{field.name}</code>
              </Anchor>{' '}
              <span class="type">{field.type}</span>{' '}
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
            {field.fields.length > 0 && (
              <details>
                <summary>
                  Fields of <code>{field.name}</code>
                </summary>
                <FieldList id={own} fields={field.fields} />
              </details>
            )}
          </li>
        );
      })}
    </ul>
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
    <Part id={`${operation.id}.errors`} title="Errors">
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
