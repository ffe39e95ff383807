import type { Children } from '../../../kit/jsxRuntime.ts';
import type { OperationText } from '../model.ts';
import type { DocView } from '../view.ts';
import { exampleCall } from './call.ts';
import { codeLanguages, exampleIn, LANGUAGE_NAMES } from './languages.ts';

interface ExampleProps {
  view: DocView;
  /** Of the block: the tabs lead back to it. */
  id: string;
  operation: OperationText;
}

/** A call in the reader's language. The tabs are links: the choice counts for all examples, and is kept in a cookie. */
export function OperationExample({ view, id, operation }: ExampleProps) {
  const { site, language, reader } = view;
  const { apiKey = null, note = null } = reader?.exampleKey ?? {};
  const text = exampleIn[language](exampleCall(operation, site.publicUrl, { apiKey, note }));
  return (
    <figure class="code" data-copy id={id}>
      <figcaption>
        <ul class="languages" aria-label="Language of the examples">
          {codeLanguages.map((one) => (
            <li>
              <a href={`?lang=${one}#${id}`} aria-current={one === language ? 'true' : undefined}>
                {LANGUAGE_NAMES[one]}
              </a>
            </li>
          ))}
        </ul>
      </figcaption>
      <pre tabindex="0">
        <code>{highlighted(text)}</code>
      </pre>
    </figure>
  );
}

/** A comment; a text with what makes it the name of a field; such a name by itself; a word of a language. Texts end on their line. */
const TOKEN =
  /(^ *(?:#|\/\/) .*$)|("(?:[^"\\\n]|\\.)*"?|'(?!\{?\n)(?:[^'\\\n]|\\.)*'?)(\s*(?::|=>))?|\b(\w+)(?=: )|\b(?:await|const|for|foreach|import|require|from|new|of|with|as|print|throw|if|true|false|null|True|False|None)\b/gm;

/** Code with its comments, texts, names and words marked. */
function highlighted(text: string): Children {
  const parts: Children[] = [];
  let at = 0;
  for (const match of text.matchAll(TOKEN)) {
    const [whole, , quoted, colon] = match;
    parts.push(text.slice(at, match.index), <span class={kindOf(match)}>{quoted ?? whole}</span>, colon);
    at = match.index + whole.length;
  }
  return [...parts, text.slice(at)];
}

function kindOf([, comment, quoted, colon, name]: RegExpExecArray): string {
  if (comment !== undefined) return 'c';
  if (name !== undefined || colon !== undefined) return 'k';
  return quoted === undefined ? 'v' : 's';
}
