import type { Settings } from '../../../businesses/settings.ts';
import { ESCALATE_MAX_MINUTES, ESCALATE_MIN_MINUTES } from '../../../config/limits.ts';
import { paidChannels } from '../../../contract/channels.ts';
import { statusLabel } from '../../../nudges/orderStatus.ts';
import { NUDGING_STATUSES } from '../../../orders/trackingStatus.ts';
import { CHANNEL_TITLES } from '../../kit/channelWords.ts';
import { FactList, Panel } from '../../kit/components.tsx';
import { Checkboxes, FormField, PostForm } from '../../kit/forms.tsx';
import { fieldState, type RefusedForm } from '../../kit/typedForm.ts';
import type { InShop } from '../context.ts';
import { shownNumber } from '../credits/words.ts';
import { editsOf, settingFields, tickedEditsOf } from '../settings/fields.ts';
import { settingsBefore } from '../settings/views.tsx';

export type TrackingProps = InShop<{
  settings: Settings;
  /** What was typed and is not saved. */
  form: RefusedForm;
}>;

const TICKED = ['tracking_nudges', 'tracking_channels'] as const;
const TYPED = ['tracking_escalate_minutes'] as const;
const FIELDS = [...TICKED, ...TYPED];

export const trackingEditsOf = (form: URLSearchParams) =>
  new Map([...tickedEditsOf(form, TICKED), ...editsOf(form, TYPED)]);

const STATUSES = NUDGING_STATUSES.map((status) => ({ value: status, label: statusLabel(status) }));
const CHANNELS = paidChannels.map((channel) => ({ value: channel, label: CHANNEL_TITLES[channel] }));

/** Which tracking events make a message, and how it reaches the customer. */
export const TrackingPanel = (props: TrackingProps) => (
  <Panel id="tracking" title="When Waypost writes">
    <p class="hint">
      The first event of a parcel with a chosen status makes a message, unless it comes late or a push of
      yours has told the same within the last twelve hours.
    </p>
    {props.visit.may('settings.change') ? <TrackingForm {...props} /> : <TrackingFacts {...props} />}
  </Panel>
);

function TrackingForm({ visit, settings, form }: TrackingProps) {
  const state = (name: (typeof FIELDS)[number]) =>
    fieldState(form, name, settingFields[name].shown(settings));
  const ticked = (name: (typeof TICKED)[number]) => {
    const { value, ...field } = state(name);
    return { ...field, chosen: value.split(', ') };
  };
  return (
    <PostForm visit={visit} action={visit.to('/settings/texts')} label="Save">
      {settingsBefore(settings, FIELDS)}
      <Checkboxes {...ticked('tracking_nudges')} label="Tracking statuses" options={STATUSES} />
      <Checkboxes
        {...ticked('tracking_channels')}
        label="Besides the email"
        options={CHANNELS}
        hint="Where the channel is switched on and reaches the customer. Each message costs credits."
      />
      <FormField
        {...state('tracking_escalate_minutes')}
        label="Wait before SMS and WhatsApp, in minutes"
        type="number"
        hint={`From ${ESCALATE_MIN_MINUTES} to ${shownNumber(ESCALATE_MAX_MINUTES)}: then they go only if the message is still unread. Blank: at once.`}
      />
    </PostForm>
  );
}

function TrackingFacts({ settings }: TrackingProps) {
  const { trackingNudges, trackingChannels, trackingEscalateMinutes: minutes } = settings;
  const named = (options: readonly { value: string; label: string }[], chosen: readonly string[]): string =>
    options
      .filter(({ value }) => chosen.includes(value))
      .map(({ label }) => label)
      .join(', ') || 'None';
  return (
    <>
      <FactList
        facts={[
          ['Tracking statuses', named(STATUSES, trackingNudges)],
          ['Besides the email', named(CHANNELS, trackingChannels)],
          [
            'Wait before SMS and WhatsApp',
            minutes === null ? 'None' : `${shownNumber(minutes)} minutes, and then only if still unread`,
          ],
        ]}
      />
      <p class="hint">An owner of the shop can change these.</p>
    </>
  );
}
