import type { Settings } from '../../../businesses/settings.ts';
import { DEFAULT_PRICE, WARMUP_DAYS_MS, WARMUP_TEXTS_A_DAY } from '../../../config/limits.ts';
import { type PaidChannel, paidChannels } from '../../../contract/channels.ts';
import { ORDER_STATUSES, type OrderStatus } from '../../../contract/orderStatuses.ts';
import { countryName } from '../../../kit/countryName.ts';
import { languageFor, languageName } from '../../../language/languages.ts';
import { statusLabel } from '../../../nudges/orderStatus.ts';
import type { OwnSenders } from '../../../providers/senders.ts';
import { CHANNEL_TITLES, senderWords } from '../../kit/channelWords.ts';
import { Badge, FactList, LinkButton, Panel } from '../../kit/components.tsx';
import { DataTable } from '../../kit/dataTable.tsx';
import { Checkboxes, FormField, HiddenFields, PostForm, SelectField } from '../../kit/forms.tsx';
import { fieldState, type RefusedForm } from '../../kit/typedForm.ts';
import type { ShopVisit } from '../context.ts';
import { shownCredits, shownNumber } from '../credits/words.ts';
import type { Page } from '../layout.tsx';
import { CHOSEN_MODES, editsOf, type SettingName, settingFields, tickedEditsOf } from '../settings/fields.ts';
import { settingsHead } from '../settings/nav.tsx';
import { settingsBefore } from '../settings/views.tsx';
import { Acknowledgement } from './acknowledgement.tsx';
import type { ChannelSetup } from './reads.ts';
import { senderNotes } from './senderNotes.ts';
import { countriesSentence, countriesSource, hourlySource, MODE_WORDS, priceWords } from './words.ts';

const LIMITS = ['countries', 'paid_per_recipient_hour', 'quiet_hours'] as const;
const TICKED = ['quiet_hours_except'] as const;

/** What the forms of the page change. */
export const editsOfChannels = (form: URLSearchParams) =>
  new Map([...editsOf(form, [...LIMITS, 'reply_ack']), ...tickedEditsOf(form, TICKED)]);

/** The channels with their modes, the limits of the paid ones, and the acknowledgement of replies. */
export function channelsPage(visit: ShopVisit, settings: Settings, form: RefusedForm): Page {
  return {
    title: 'Channels',
    at: 'settings',
    heading: settingsHead(visit, 'channels'),
    children: (
      <>
        <Panel id="channels" title="Channels">
          <ul class="rows">
            <li class="row">
              <span>
                <strong>Email</strong>
                <span class="hint">Every message is announced by mail, free of credits.</span>
              </span>
              <Badge tone="good" text="Always on" />
            </li>
            {paidChannels.map((channel) => paidRow(visit, settings, channel))}
          </ul>
        </Panel>
        <Panel id="limits" title="Limits of SMS and WhatsApp">
          {visit.may('settings.change') ? limitsForm(visit, settings, form) : limitsFacts(settings)}
        </Panel>
        <Acknowledgement visit={visit} settings={settings} form={form} />
      </>
    ),
  };
}

const modeOf = ({ smsMode, whatsappMode }: Settings, channel: PaidChannel) =>
  channel === 'sms' ? smsMode : whatsappMode;

function paidRow(visit: ShopVisit, settings: Settings, channel: PaidChannel) {
  const mode = modeOf(settings, channel);
  const title = CHANNEL_TITLES[channel];
  const mayChange = visit.may('settings.change');
  return (
    <li class="row">
      <span>
        <strong>{title}</strong> <Badge tone={mode === 'on' ? 'good' : 'plain'} text={MODE_WORDS[mode]} />
        <span class="hint">{countriesSentence(channel, settings.countries)}</span>
      </span>
      <LinkButton
        href={visit.to(`/settings/channels/${channel}`)}
        label={mayChange ? 'Change …' : 'Needs and costs'}
        about={mayChange ? `Change ${title} …` : `${title}: needs and costs`}
      />
    </li>
  );
}

function limitsForm(visit: ShopVisit, settings: Settings, form: RefusedForm) {
  const field = (name: SettingName) => fieldState(form, name, settingFields[name].shown(settings));
  const { value: except, ...exceptField } = field('quiet_hours_except');
  const { countriesCeiling, paidPerRecipientHourCeiling } = settings;
  return (
    <PostForm visit={visit} action={visit.to('/settings/channels')} label="Save">
      {settingsBefore(settings, [...LIMITS, ...TICKED])}
      <FormField
        {...field('countries')}
        label="Countries"
        type="text"
        autocomplete="off"
        hint={`Codes of the countries that messages may go to, such as EE, FI, GB. ${
          countriesCeiling === null
            ? 'Blank: every country but the United States and Canada, which get no SMS.'
            : `${countriesSource(settings)} Blank: all that the operator allows.`
        }`}
      />
      <FormField
        {...field('paid_per_recipient_hour')}
        label="Most messages an hour to one customer"
        type="number"
        hint={`SMS and WhatsApp messages together. ${
          paidPerRecipientHourCeiling === null
            ? 'Blank: no limit.'
            : `${hourlySource(settings)} Blank: as many as the operator allows.`
        }`}
      />
      <FormField
        {...field('quiet_hours')}
        label="Quiet hours"
        type="text"
        autocomplete="off"
        hint="From when to when they wait, such as 21:00-08:00, in the country of the customer’s number. Blank: they never do."
      />
      <Checkboxes
        {...exceptField}
        chosen={except.split(', ')}
        label="Sent also in quiet hours"
        options={STATUSES}
        hint="What a customer wants to know at any hour."
      />
    </PostForm>
  );
}

const STATUSES = ORDER_STATUSES.map((status) => ({ value: status, label: statusLabel(status) }));

function limitsFacts(settings: Settings) {
  const { countries, paidPerRecipientHour: hourly, quietHours, quietHoursExcept } = settings;
  const reached = countries === null ? 'All that can be reached' : countries.join(', ') || 'None';
  return (
    <>
      <FactList
        facts={[
          ['Countries', `${reached}. ${countriesSource(settings)}`],
          [
            'Most messages an hour to one customer',
            `${hourly === null ? 'No limit' : shownNumber(hourly)}. ${hourlySource(settings)}`,
          ],
          ['Quiet hours', quietHours ?? 'None'],
          [
            'Sent also in quiet hours',
            quietHoursExcept.map((status) => statusLabel(status)).join(', ') || 'Nothing',
          ],
        ]}
      />
      <p class="hint">An owner of the shop can change these.</p>
    </>
  );
}

interface ChannelProps {
  visit: ShopVisit;
  channel: PaidChannel;
  setup: ChannelSetup;
  now: Date;
  fault: string | undefined;
  /** What its texts to a country come from. */
  sendersTo(country: string, own: OwnSenders): readonly string[];
}

/** Says what a channel needs and what it costs, before it is switched. */
export function channelPage(props: ChannelProps): Page {
  const { visit, channel, setup, now } = props;
  const names = channel === 'sms' ? senderNotes(setup, props.sendersTo) : [];
  const title = CHANNEL_TITLES[channel];
  return {
    title,
    at: 'settings',
    within: [{ href: visit.to('/settings/channels'), label: 'Channels' }],
    children: (
      <div class="columns">
        <div class="column">
          <Panel id="needs" title="What it needs">
            <FactList facts={needsOf(channel, setup, now)} />
            {names.map((note) => (
              <p class="hint">{note}</p>
            ))}
          </Panel>
          <ModeForm {...props} />
        </div>
        {costs(channel, setup)}
      </div>
    ),
  };
}

function ModeForm({ visit, channel, setup: { settings }, fault }: ChannelProps) {
  const mode = modeOf(settings, channel);
  const modeNow = `It is now: ${MODE_WORDS[mode].toLowerCase()}.`;
  if (!visit.may('settings.change'))
    return <p class="hint">{`${modeNow} An owner of the shop can change this.`}</p>;
  return (
    <Panel id="use" title="When it is used">
      <PostForm visit={visit} action={visit.to(`/settings/channels/${channel}`)} label="Save">
        <HiddenFields values={{ was_mode: mode }} />
        <SelectField
          id="mode"
          label={`Use ${CHANNEL_TITLES[channel]}`}
          value={mode === 'not_enabled' ? 'on_request' : mode}
          options={CHOSEN_MODES.map((one) => [one, MODE_WORDS[one]] as const)}
          fault={fault}
          hint={`${modeNow} A push can always leave the channel out.`}
        />
      </PostForm>
    </Panel>
  );
}

function needsOf(channel: PaidChannel, setup: ChannelSetup, now: Date): [name: string, need: string][] {
  const { settings, senders } = setup;
  const own = senders.map(senderWords).join(', ');
  return [
    ['Sender', own === '' ? 'The shared one. Your operator can give you your own.' : `Your own: ${own}`],
    channel === 'sms' ? ['Warm-up', warmupSentence(setup, now)] : ['Templates', templateSentence(setup)],
    ['Countries', countriesSentence(channel, settings.countries)],
    [
      'Customers',
      channel === 'sms'
        ? 'Who has a mobile number and did not say STOP.'
        : 'Who has a mobile number, agreed to WhatsApp and did not say STOP.',
    ],
  ];
}

function warmupSentence({ settings: { warmup, smsEnabledAt } }: ChannelSetup, now: Date): string {
  const isOver = smsEnabledAt !== null && now.getTime() - smsEnabledAt.getTime() >= WARMUP_DAYS_MS;
  if (!warmup || isOver) return 'None: as many SMS a day as your credits pay for.';
  return `At most ${WARMUP_TEXTS_A_DAY} SMS a day in the first two weeks, which begin when SMS is switched on for the first time.`;
}

function templateSentence({ inReview, inEnglish, settings }: ChannelSetup): string {
  const named = (statuses: readonly OrderStatus[]): string =>
    statuses.length === ORDER_STATUSES.length
      ? 'all'
      : statuses.map((status) => statusLabel(status)).join(', ');
  const language = languageName(languageFor(null, settings.language));
  if (inReview.length === ORDER_STATUSES.length)
    return 'WhatsApp is still reviewing every template: nothing is sent until it has approved them.';
  const sentences = [
    inReview.length > 0 &&
      `Still in review, and not sent until WhatsApp has approved them: ${named(inReview)}.`,
    inEnglish.length > 0 && `Not approved in ${language} yet, and sent in English: ${named(inEnglish)}.`,
  ];
  return sentences.filter(Boolean).join(' ') || 'WhatsApp has approved the templates of every order status.';
}

function costs(channel: PaidChannel, { prices, settings, spendable }: ChannelSetup) {
  const noun = channel === 'sms' ? 'An SMS' : 'A WhatsApp message';
  return (
    <Panel id="costs" title="What it costs">
      <p>
        {settings.countries === null
          ? `${noun} costs ${shownCredits(DEFAULT_PRICE)}${prices.length === 0 ? '' : ', except to the countries below'}.`
          : `${noun} costs credits by the country that it goes to.`}
      </p>
      <p>{`You have ${shownCredits(spendable)} left. A message that is not sent, or that its provider refuses, costs nothing.`}</p>
      {channel === 'whatsapp' && settings.replyAck === 'on' && (
        <p>{`The acknowledgement of a reply: ${priceWords(settings.replyAckCredits).toLowerCase()}.`}</p>
      )}
      {prices.length > 0 && (
        <DataTable
          caption="Credits a message, by country"
          columns={[
            { title: 'Country', cell: ({ country }) => countryName(country) },
            { title: 'Credits', numeric: true, cell: ({ credits }) => shownNumber(credits) },
          ]}
          rows={prices}
        />
      )}
    </Panel>
  );
}
