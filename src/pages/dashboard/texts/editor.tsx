import { TEXT_BODY_MAX, TEXT_SUBJECT_MAX } from '../../../config/limits.ts';
import type { TextSource } from '../../../texts/defaults.ts';
import { FILTERS, TAGS } from '../../../texts/liquid.ts';
import type { TextPlace } from '../../../texts/texts.ts';
import { VARIABLES } from '../../../texts/variables.ts';
import { FactList, LinkLine, Panel } from '../../kit/components.tsx';
import { ActionForm, type FieldDef, FormFields, PreviewButtons } from '../../kit/forms.tsx';
import { linkify } from '../../kit/linkify.ts';
import type { RefusedForm } from '../../kit/typedForm.ts';
import type { ShopVisit } from '../context.ts';
import { type Page, previewsItself } from '../layout.tsx';
import type { ListedText, TextPreview } from './reads.ts';
import { changeOf, placeTitle } from './views.tsx';

interface TextPageProps {
  visit: ShopVisit;
  place: TextPlace;
  text: ListedText;
  /** What was typed, else what is in use. */
  source: TextSource;
  faults: RefusedForm['faults'];
  preview: TextPreview;
}

/** A text with what it makes of an example order; for a viewer to read. */
export function textPage(props: TextPageProps): Page {
  const { visit, place, text } = props;
  const list = visit.to('/settings/texts');
  return {
    title: placeTitle(place),
    at: 'settings',
    within: [{ href: `${list}?language=${place.language}`, label: 'Wording' }],
    children: (
      <div class="columns">
        <div class="column">
          {visit.may('text.change') ? <Editor {...props} /> : <Source {...props} />}
          <Panel id="words" title="Words in use">
            <FactList
              facts={[
                ['Whose', text.own === null ? 'Waypost’s' : 'Yours'],
                ['Changed', changeOf(text)],
              ]}
            />
            {text.own !== null && visit.may('text.change') && (
              <LinkLine href={`${pathOf(props)}/reset`} label="Use Waypost’s words again …" />
            )}
          </Panel>
        </div>
        <Preview {...props} />
      </div>
    ),
  };
}

const pathOf = ({ visit, place: { status, language } }: TextPageProps): string =>
  visit.to(`/settings/texts/${status}/${language}`);

const FIELDS: readonly FieldDef[] = [
  {
    id: 'subject',
    label: 'Subject',
    type: 'text',
    maxlength: TEXT_SUBJECT_MAX,
    required: true,
    autocomplete: 'off',
  },
  { id: 'body', label: 'Message', rows: 16, maxlength: TEXT_BODY_MAX, required: true },
];

function Editor(props: TextPageProps) {
  const { visit, source, faults } = props;
  const path = pathOf(props);
  return (
    <ActionForm action={path} formToken={visit.session.formToken}>
      <section class="panel text-editor" aria-labelledby="edit" {...previewsItself(`${path}/preview`)}>
        <h2 id="edit">Your words</h2>
        <FormFields fields={FIELDS} form={{ typed: { ...source }, faults }} />
        <details>
          <summary>What it can name</summary>
          <p class="hint">
            Liquid, as in Shopify. An empty variable is nothing, so that an if leaves its line out.
          </p>
          <FactList
            facts={[
              ['Variables', namesIn(VARIABLES)],
              ['Tags', namesIn(TAGS)],
              ['Filters', namesIn(FILTERS)],
            ]}
          />
        </details>
        <PreviewButtons path={path} label="Save" />
      </section>
    </ActionForm>
  );
}

const namesIn = (names: readonly string[]) => (
  <span class="text-names">
    {names.map((name) => (
      <>
        <code>{name}</code>{' '}
      </>
    ))}
  </span>
);

/** For somebody who may not change it. */
const Source = ({ source }: TextPageProps) => (
  <Panel id="edit" title="The message">
    <p>
      <code class="text-source" dir="auto">
        {source.subject}
      </code>
    </p>
    <pre class="text-source" dir="auto">
      {source.body}
    </pre>
    <p class="hint">An owner or a member of the shop can change it.</p>
  </Panel>
);

const FIELD_NAMES = { subject: 'Subject', body: 'Message' } as const;

/** What the text makes of an example order. A fault stands at its line. */
function Preview({ place, source, preview: { rendered, faults } }: TextPageProps) {
  return (
    <section class="panel" id="preview" aria-labelledby="preview-title" aria-live="polite">
      <h2 id="preview-title">What a customer would read</h2>
      {faults.length > 0 ? (
        <ul class="rows">
          {faults.map(({ field, line, message }) => (
            <li class="text-fault">
              <span class="fault">{`${FIELD_NAMES[field]}, line ${line}: ${message}.`}</span>
              <code class="text-source" dir="auto">
                {source[field].split('\n')[line - 1]}
              </code>
            </li>
          ))}
        </ul>
      ) : (
        <div lang={place.language}>
          <p dir="auto">
            <strong class="text-source">{rendered.subject}</strong>
          </p>
          <p class="message-body" dir="auto">
            {linkify(rendered.body).map((piece) =>
              piece.kind === 'link' ? <a href={piece.href}>{piece.text}</a> : piece.text,
            )}
          </p>
        </div>
      )}
      <p class="hint">
        An example order with everything known. Where yours come out empty, Waypost’s words are used.
      </p>
    </section>
  );
}
