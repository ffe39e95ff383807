import { responseParts } from '../../../webhooks/responseText.ts';
import { CodeBlock } from '../../kit/code.tsx';
import type { ShopVisit } from '../context.ts';

/** What an endpoint answered, as text: the body, and the headers folded. It may repeat the path of the URL, which may hold a secret. */
export function shownResponse(
  visit: ShopVisit,
  response: string | null,
  id: string,
  label = 'What your server answered',
  isOpen = false,
) {
  if (response === null || !visit.may('webhook.test')) return null;
  const { headers, body } = responseParts(response);
  return (
    <details id={id} class="answer" open={isOpen}>
      <summary>{label}</summary>
      <div class="stack wrapped">
        {body === '' ? <p class="hint">It has no body.</p> : <CodeBlock label="Body">{body}</CodeBlock>}
        {headers !== '' && (
          <details id={`${id}-headers`}>
            <summary>Headers</summary>
            <CodeBlock label="Headers">{headers}</CodeBlock>
          </details>
        )}
      </div>
    </details>
  );
}
