import type { DocView } from './view.ts';

/** Whose key the examples name, for those who are signed in. */
export function ReaderNote({ view }: { view: Pick<DocView, 'site' | 'reader'> }): JSX.Element | false {
  const { site, reader } = view;
  if (reader === null) return false;
  const { shop, key, mayCreateKeys, exampleKey } = reader;
  return (
    <p class="reader">
      {exampleKey.apiKey !== null ? (
        <>
          The examples hold a key of <strong dir="auto">{shop.name}</strong>: a push works as it stands.
        </>
      ) : key === null ? (
        <>
          <strong dir="auto">{shop.name}</strong> has no API key yet.
        </>
      ) : (
        <>
          The examples name a key of <strong dir="auto">{shop.name}</strong>: <bdi>{key.name}</bdi>,{' '}
          <code>{key.masked}</code>. The whole key was shown when it was created: put it into{' '}
          <code>WAYPOST_API_KEY</code>.
        </>
      )}{' '}
      <a href={site.to(`/dashboard/${shop.id}/keys`)}>{mayCreateKeys ? 'Create a key' : 'See the keys'}</a>
    </p>
  );
}
