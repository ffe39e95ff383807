import type { Settings } from '../../../businesses/settings.ts';
import type { PaidChannel } from '../../../contract/channels.ts';
import { isAllowed } from '../../../members/permissions.ts';
import { Badge, FlashNote } from '../../kit/components.tsx';
import type { Flash } from '../../kit/flash.ts';
import { ActionForm, FormField } from '../../kit/forms.tsx';
import type { Site } from '../../kit/page.tsx';
import type { ShopVisit } from '../context.ts';
import { shownNumber } from '../credits/words.ts';
import { dashboardPage } from '../layout.tsx';
import { type SettingTexts, settingFields } from '../settings/fields.ts';
import { SettingsHead } from '../settings/nav.tsx';
import { SettingsBefore } from '../settings/views.tsx';
import { CHANNEL_TITLES, countriesSentence, countriesSource, hourlySource, MODE_WORDS } from './words.ts';

interface ChannelsProps {
  site: Site;
  visit: ShopVisit;
  settings: Settings;
  flash: Flash | null;
  faults: SettingTexts;
  /** What was typed and is not saved. */
  typed: SettingTexts;
}

/** The channels with their modes, and the limits of the paid ones. */
export function channelsPage(props: ChannelsProps): string {
  const { site, visit, settings, flash } = props;
  const mayChange = isAllowed(visit.role, 'settings.change');
  return dashboardPage({
    site,
    title: 'Channels',
    visit,
    at: 'settings',
    children: (
      <>
        <SettingsHead site={site} visit={visit} at="channels" />
        {flash && <FlashNote {...flash} />}
        <section class="panel" aria-labelledby="channels">
          <h2 id="channels">Channels</h2>
          <ul class="rows">
            <li class="row">
              <span>
                <strong>Email</strong>
                <span class="hint">Every message is announced by mail, free of credits.</span>
              </span>
              <Badge tone="good" text="Always on" />
            </li>
            <PaidRow {...props} channel="sms" mayChange={mayChange} />
            <PaidRow {...props} channel="whatsapp" mayChange={mayChange} />
          </ul>
        </section>
        {mayChange ? <LimitsForm {...props} /> : <LimitsFacts settings={settings} />}
      </>
    ),
  });
}

function PaidRow({
  site,
  visit,
  settings,
  channel,
  mayChange,
}: ChannelsProps & { channel: PaidChannel; mayChange: boolean }): JSX.Element {
  const mode = channel === 'sms' ? settings.smsMode : settings.whatsappMode;
  const title = CHANNEL_TITLES[channel];
  return (
    <li class="row">
      <span>
        <strong>{title}</strong> <Badge tone={mode === 'on' ? 'good' : 'plain'} text={MODE_WORDS[mode]} />
        <span class="hint">{countriesSentence(channel, settings.countries)}</span>
      </span>
      <a
        class="button quiet"
        href={site.to(`/dashboard/${visit.shop.id}/settings/channels/${channel}`)}
        aria-label={mayChange ? `Change ${title} …` : `${title}: needs and costs`}
      >
        {mayChange ? 'Change …' : 'Needs and costs'}
      </a>
    </li>
  );
}

function LimitsForm({ site, visit, settings, faults, typed }: ChannelsProps): JSX.Element {
  const field = (name: 'countries' | 'paid_per_recipient_hour') => ({
    id: name,
    value: typed[name] ?? settingFields[name].shown(settings),
    fault: faults[name],
  });
  return (
    <ActionForm
      action={site.to(`/dashboard/${visit.shop.id}/settings/channels`)}
      formToken={visit.session.formToken}
    >
      <section class="panel" aria-labelledby="limits">
        <h2 id="limits">Limits of texts and WhatsApp</h2>
        <SettingsBefore settings={settings} names={['countries', 'paid_per_recipient_hour']} />
        <FormField
          {...field('countries')}
          label="Countries"
          type="text"
          autocomplete="off"
          hint={`Codes of the countries that messages may go to, such as EE, FI, GB. ${
            settings.countriesCeiling === null
              ? 'Blank: every country but the United States and Canada, which are never texted.'
              : `${countriesSource(settings)} Blank: all that the operator allows.`
          }`}
        />
        <FormField
          {...field('paid_per_recipient_hour')}
          label="Most messages an hour to one customer"
          type="number"
          hint={`Texts and WhatsApp messages together. ${
            settings.paidPerRecipientHourCeiling === null
              ? 'Blank: no limit.'
              : `${hourlySource(settings)} Blank: as many as the operator allows.`
          }`}
        />
        <div>
          <button class="button" type="submit">
            Save
          </button>
        </div>
      </section>
    </ActionForm>
  );
}

function LimitsFacts({ settings }: { settings: Settings }): JSX.Element {
  const { countries, paidPerRecipientHour } = settings;
  return (
    <section class="panel" aria-labelledby="limits">
      <h2 id="limits">Limits of texts and WhatsApp</h2>
      <dl class="answers">
        <dt>Countries</dt>
        <dd>
          {`${countries === null ? 'All that can be reached' : countries.join(', ') || 'None'}. ${countriesSource(settings)}`}
        </dd>
        <dt>Most messages an hour to one customer</dt>
        <dd>
          {`${paidPerRecipientHour === null ? 'No limit' : shownNumber(paidPerRecipientHour)}. ${hourlySource(settings)}`}
        </dd>
      </dl>
      <p class="hint">An owner of the shop can change these.</p>
    </section>
  );
}
