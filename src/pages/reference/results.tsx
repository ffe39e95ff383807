import { type DocEntry, type DocMatches, docTermsOf, excerptOf, markedParts } from './search.ts';
import type { DocView } from './view.ts';

/** What was found in the reference, best first. */
export const DocResults = ({ view, query, found }: { view: DocView; query: string; found: DocMatches }) => (
  <>
    <h1>Search</h1>
    <p class="found" role="status">
      {found.total === 0 ? (
        <>
          Nothing here has <strong>{query}</strong> in its name or its text.
        </>
      ) : (
        <>
          {count(found)} for <strong>{query}</strong>
        </>
      )}
    </p>
    {found.total === 0 ? (
      <p>
        Try fewer words, the name of a field, an error code or a type of event, or go through{' '}
        <a href={view.to('')}>the overview</a>.
      </p>
    ) : (
      <ol class="results">
        {found.entries.map((entry) => (
          <Result view={view} entry={entry} terms={docTermsOf(query)} />
        ))}
      </ol>
    )}
  </>
);

function count({ entries, total }: DocMatches): string {
  if (total > entries.length) return `The best ${entries.length} of ${total} places`;
  return total === 1 ? 'One place' : `${total} places`;
}

interface ResultProps {
  view: DocView;
  entry: DocEntry;
  terms: readonly string[];
}

function Result({ view, entry, terms }: ResultProps) {
  const { id, within, kind, title, place, text } = entry;
  const page = view.hrefOf(within).split('#')[0];
  return (
    <li>
      <a href={`${page}#${id}`}>{marked(title, terms)}</a> <span class="kind">{kind}</span>
      {place !== '' && <span class="place">{marked(place, terms)}</span>}
      {text !== '' && <span class="excerpt">{marked(excerptOf(text, terms), terms)}</span>}
    </li>
  );
}

const marked = (text: string, terms: readonly string[]) =>
  markedParts(text, terms).map(({ part, isTerm }) => (isTerm ? <mark>{part}</mark> : part));
