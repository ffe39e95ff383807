import type { Channel } from '../../contract/channels.ts';
import type { AssetFile } from '../kit/assets.ts';
import { CHANNEL_TITLES } from '../kit/channelWords.ts';
import { HiddenFields } from '../kit/forms.tsx';

export const SANDBOX_FILES: readonly AssetFile[] = ['components.css', 'sandbox.css', 'sandbox.js'];

const DRAWINGS: Readonly<Record<Channel, string>> = {
  email: 'M4 7h16v11H4zm0 0 8 6 8-6',
  sms: 'M4 6h16v10h-9l-4 4v-4H4z',
  whatsapp: 'M12 4a8 8 0 0 0-7 12l-1 4 4-1a8 8 0 1 0 4-15zm-3 5c0 4 2 6 6 6',
};

export const ChannelIcon = ({ channel }: { channel: Channel }) => (
  <span class={['icon', `icon-${channel}`]}>
    <svg viewBox="0 0 24 24" width="24" height="24" role="img" aria-label={CHANNEL_TITLES[channel]}>
      <path d={DRAWINGS[channel]} />
    </svg>
  </span>
);

interface DoButtonProps {
  id: string;
  action: string;
  values: Readonly<Record<string, string>>;
  label: string;
}

/** A form with one button and hidden values. */
export const DoButton = ({ id, action, values, label }: DoButtonProps) => (
  <form method="post" action={action} data-sent-by-script>
    <HiddenFields values={values} />
    <button class="small" type="submit" id={id}>
      {label}
    </button>
  </form>
);
