import { asJson, CodeBlock, JsonCode } from '../kit/code.tsx';
import type { Failure } from './model.ts';
import type { DocView } from './view.ts';

interface FailureListProps {
  view: Pick<DocView, 'hrefOf'>;
  failures: readonly Failure[];
  /** Whether the other lists lead to this one. */
  isIndex?: boolean;
  /** Each with an example of its body. */
  hasBodies: boolean;
}

/** The errors that a call can be answered with: status, code and sentence. */
export const FailureList = ({ view, failures, isIndex = false, hasBodies }: FailureListProps) => (
  <ul class="failures">
    {failures
      .toSorted((a, b) => a.status - b.status)
      .map(({ status, code, sentence, example }) => (
        <li id={isIndex ? `error-${code}` : undefined}>
          <span class="status">{status}</span>
          <div>
            <a href={view.hrefOf(`error-${code}`)}>
              <code>{code}</code>
            </a>
            <br />
            <span>{sentence}</span>
            {hasBodies && example !== undefined && (
              <details>
                <summary>Body</summary>
                <CodeBlock label="Answer" note={String(status)}>
                  <JsonCode text={asJson(example)} />
                </CodeBlock>
              </details>
            )}
          </div>
        </li>
      ))}
  </ul>
);
