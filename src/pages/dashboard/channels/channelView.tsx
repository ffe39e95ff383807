import { WARMUP_DAYS_MS, WARMUP_TEXTS_A_DAY } from '../../../config/limits.ts';
import type { PaidChannel } from '../../../contract/channels.ts';
import { languageFor, languageName } from '../../../language/languages.ts';
import { isAllowed } from '../../../members/permissions.ts';
import { ORDER_STATUSES, type OrderStatus, statusLabel } from '../../../nudges/orderStatus.ts';
import { DataTable } from '../../kit/dataTable.tsx';
import { ActionForm, SelectField } from '../../kit/forms.tsx';
import type { Site } from '../../kit/page.tsx';
import type { ShopVisit } from '../context.ts';
import { countryName, shownNumber } from '../credits/words.ts';
import { dashboardPage } from '../layout.tsx';
import { CHOSEN_MODES } from '../settings/fields.ts';
import type { ChannelSetup } from './reads.ts';
import { CHANNEL_TITLES, countriesSentence, MODE_WORDS } from './words.ts';

interface ChannelProps {
  site: Site;
  visit: ShopVisit;
  channel: PaidChannel;
  setup: ChannelSetup;
  now: Date;
  fault: string | undefined;
}

/** Says what a channel needs and what it costs, before it is switched. */
export function channelPage({ site, visit, channel, setup, now, fault }: ChannelProps): string {
  const list = site.to(`/dashboard/${visit.shop.id}/settings/channels`);
  const mode = channel === 'sms' ? setup.settings.smsMode : setup.settings.whatsappMode;
  const title = CHANNEL_TITLES[channel];
  const offered = CHOSEN_MODES.map((one) => [one, MODE_WORDS[one]] as const);
  return dashboardPage({
    site,
    title,
    visit,
    at: 'settings',
    children: (
      <>
        <p>
          <a href={list}>Channels</a>
        </p>
        <h1>{title}</h1>
        <div class="columns">
          <div class="column">
            <section class="panel" aria-labelledby="needs">
              <h2 id="needs">What it needs</h2>
              <dl class="answers">
                <Needs channel={channel} setup={setup} now={now} />
              </dl>
            </section>
            {isAllowed(visit.role, 'settings.change') ? (
              <ActionForm action={`${list}/${channel}`} formToken={visit.session.formToken}>
                <section class="panel" aria-labelledby="use">
                  <h2 id="use">When it is used</h2>
                  <input type="hidden" name="was_mode" value={mode} />
                  <SelectField
                    id="mode"
                    label={`Use ${channel === 'sms' ? 'texts' : 'WhatsApp'}`}
                    value={mode === 'not_enabled' ? 'on_request' : mode}
                    options={offered}
                    fault={fault}
                    hint={`It is now: ${MODE_WORDS[mode].toLowerCase()}. A push can always leave the channel out.`}
                  />
                  <div>
                    <button class="button" type="submit">
                      Save
                    </button>
                  </div>
                </section>
              </ActionForm>
            ) : (
              <p class="hint">
                {`It is now: ${MODE_WORDS[mode].toLowerCase()}. An owner of the shop can change this.`}
              </p>
            )}
          </div>
          <Costs setup={setup} channel={channel} />
        </div>
      </>
    ),
  });
}

function Needs({ channel, setup, now }: Pick<ChannelProps, 'channel' | 'setup' | 'now'>): JSX.Element {
  const { settings, sender } = setup;
  return (
    <>
      <dt>Sender</dt>
      <dd>
        {sender === null ? 'The shared one. Your operator can give you your own.' : `Your own: ${sender}`}
      </dd>
      {channel === 'sms' ? (
        <>
          <dt>Warm-up</dt>
          <dd>{warmupSentence(setup, now)}</dd>
        </>
      ) : (
        <>
          <dt>Templates</dt>
          <dd>{templateSentence(setup)}</dd>
        </>
      )}
      <dt>Countries</dt>
      <dd>{countriesSentence(channel, settings.countries)}</dd>
      <dt>Customers</dt>
      <dd>
        {channel === 'sms'
          ? 'Who has a mobile number and did not say STOP.'
          : 'Who has a mobile number, agreed to WhatsApp and did not say STOP.'}
      </dd>
    </>
  );
}

function warmupSentence({ settings: { warmup, smsEnabledAt } }: ChannelSetup, now: Date): string {
  const isOver = smsEnabledAt !== null && now.getTime() - smsEnabledAt.getTime() >= WARMUP_DAYS_MS;
  if (!warmup || isOver) return 'None: as many texts a day as your credits pay for.';
  return `At most ${WARMUP_TEXTS_A_DAY} texts a day in the first two weeks, which begin when texts are switched on for the first time.`;
}

function templateSentence({ inReview, inEnglish, settings }: ChannelSetup): string {
  const named = (statuses: readonly OrderStatus[]): string =>
    statuses.length === ORDER_STATUSES.length
      ? 'all'
      : statuses.map((status) => statusLabel[status]).join(', ');
  const language = languageName(languageFor(null, settings.language));
  if (inReview.length === ORDER_STATUSES.length)
    return 'WhatsApp is still reviewing every template: nothing is sent until it has approved them.';
  const sentences = [
    ...(inReview.length > 0
      ? [`Still in review, and not sent until WhatsApp has approved them: ${named(inReview)}.`]
      : []),
    ...(inEnglish.length > 0
      ? [`Not approved in ${language} yet, and sent in English: ${named(inEnglish)}.`]
      : []),
  ];
  return sentences.length === 0
    ? 'WhatsApp has approved the templates of every order status.'
    : sentences.join(' ');
}

function Costs({ setup, channel }: Pick<ChannelProps, 'setup' | 'channel'>): JSX.Element {
  const { prices, otherwise, settings, spendable } = setup;
  const noun = channel === 'sms' ? 'A text' : 'A WhatsApp message';
  return (
    <section class="panel" aria-labelledby="costs">
      <h2 id="costs">What it costs</h2>
      <p>
        {settings.countries === null
          ? `${noun} costs ${credits(otherwise)}${prices.length === 0 ? '' : ', except to the countries below'}.`
          : `${noun} costs credits by the country that it goes to.`}
      </p>
      <p>{`You have ${credits(spendable)} left. A message that is not sent, or that its provider refuses, costs nothing.`}</p>
      {prices.length > 0 && (
        <DataTable
          caption="Credits a message, by country"
          columns={[
            { title: 'Country', cell: ({ country }) => <span>{countryName(country)}</span> },
            { title: 'Credits', numeric: true, cell: (row) => <span>{shownNumber(row.credits)}</span> },
          ]}
          rows={prices}
        />
      )}
    </section>
  );
}

const credits = (count: number): string => (count === 1 ? '1 credit' : `${shownNumber(count)} credits`);
