/** A moment in UTC, for the script to put into the reader's own zone and language. */
export function Moment({ at }: { at: Date }): JSX.Element {
  return (
    <time datetime={at.toISOString()} safe>
      {utc.format(at)}
    </time>
  );
}

const utc = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZone: 'UTC',
  timeZoneName: 'short',
});
