import type { Channel } from '../../contract/channels.ts';
import { channelName, type Tone } from './words.ts';

/** A time in UTC, which the script converts to the reader's zone. */
export function LocalTime({ at }: { at: Date }): JSX.Element {
  return <time datetime={at.toISOString()}>{inUtc(at)}</time>;
}

let utc: Intl.DateTimeFormat | null = null;
function inUtc(at: Date): string {
  utc ??= new Intl.DateTimeFormat('en-GB', {
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZone: 'UTC',
    timeZoneName: 'short',
  });
  return utc.format(at);
}

export function Chip({ fate: { word, tone } }: { fate: { word: string; tone: Tone } }): JSX.Element {
  return <span class={['chip', `chip-${tone}`]}>{word}</span>;
}

const DRAWINGS: Readonly<Record<Channel, string>> = {
  email: 'M4 7h16v11H4zm0 0 8 6 8-6',
  sms: 'M4 6h16v10h-9l-4 4v-4H4z',
  whatsapp: 'M12 4a8 8 0 0 0-7 12l-1 4 4-1a8 8 0 1 0 4-15zm-3 5c0 4 2 6 6 6',
};

export function ChannelIcon({ channel }: { channel: Channel }): JSX.Element {
  return (
    <span class={['icon', `icon-${channel}`]}>
      <svg viewBox="0 0 24 24" width="24" height="24" role="img" aria-label={channelName[channel]}>
        <path
          d={DRAWINGS[channel]}
          fill="none"
          stroke="currentColor"
          stroke-width="1.75"
          stroke-linejoin="round"
          stroke-linecap="round"
        />
      </svg>
    </span>
  );
}

/** A form with one button and hidden values. */
export function DoButton({
  id,
  action,
  values,
  label,
  title,
}: {
  id: string;
  action: string;
  values: Readonly<Record<string, string>>;
  label: string;
  title?: string;
}): JSX.Element {
  return (
    <form method="post" action={action} data-sent-by-script>
      {Object.entries(values).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <button class="small" type="submit" id={id} title={title}>
        {label}
      </button>
    </form>
  );
}
