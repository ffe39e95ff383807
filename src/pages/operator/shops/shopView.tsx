import { languageFor, languageName } from '../../../language/languages.ts';
import { countriesSource, hourlySource, MODE_WORDS, priceWords } from '../../dashboard/channels/words.ts';
import type { Visit } from '../../dashboard/context.ts';
import { creditsSentence, shownNumber } from '../../dashboard/credits/words.ts';
import type { Page } from '../../dashboard/layout.tsx';
import { FactList, FlashNote, LinkButton, Pager, Panel, ZonedTime } from '../../kit/components.tsx';
import { PostForm } from '../../kit/forms.tsx';
import type { RefusedForm } from '../../kit/typedForm.ts';
import { PLAN_WORDS, ShopState } from '../words.tsx';
import { type MailWay, ShopDomain } from './domainView.tsx';
import { ShopHealth, ShopMembers, type ShopPanelProps, ShopSenders } from './parts.tsx';
import type { OperatedShop } from './reads.ts';

/** The pages of a shop that an operator goes on to. */
const SHOP_LINKS = [
  ['', 'Overview'],
  ['/messages', 'Messages'],
  ['/recipients', 'Customers'],
  ['/replies', 'Replies'],
  ['/webhooks', 'Webhooks'],
  ['/keys', 'API keys'],
  ['/credits', 'Ledger'],
  ['/settings', 'Settings'],
] as const;

/** What the operator sees of a shop, with the actions on it. `form`: a sender or an action that was refused. */
export function operatedShopPage(
  visit: Visit,
  shop: OperatedShop,
  form: RefusedForm,
  mail: MailWay,
  providers: readonly string[],
): Page {
  const { settings, plan, overview } = shop;
  const dashboard = visit.site.to(`/dashboard/${settings.id}`);
  const path = visit.site.to(`/dashboard/operator/shops/${settings.id}`);
  const panel = { visit, path, shop };
  return {
    operatorAt: 'shops',
    title: settings.name,
    within: [],
    heading: (
      <header class="message-head">
        <h1 dir="auto">{settings.name}</h1>
        <ShopState active={settings.active} paused={settings.paused} plan={plan} />
        <p class="hint shop-id">
          <code>{settings.id}</code> · since <ZonedTime at={settings.createdAt} />
        </p>
        <Pager links={SHOP_LINKS.map(([below, title]) => [`${dashboard}${below}`, title] as const)} />
      </header>
    ),
    children: (
      <>
        {Object.values(form.faults).map((fault) => (
          <FlashNote tone="bad" text={`Nothing was changed. ${fault}`} />
        ))}
        {overview.attention.map(({ tone, message, page }) => (
          <FlashNote tone={tone} text={message} href={`${dashboard}${page}`} />
        ))}
        <div class="columns shop-facts">
          <div class="column">
            <PlanAndCredits {...panel} />
            <Sending {...panel} />
            <ShopMembers {...panel} />
          </div>
          <div class="column">
            <ShopHealth {...panel} />
            <ShopSenders {...panel} form={form} providers={providers} />
            <ShopDomain {...panel} form={form} mail={mail} />
            <Panel id="more" title="More">
              <Pager
                links={[
                  [`${path}/suppressions`, 'Addresses that it does not email'],
                  [visit.site.to(`/dashboard/operator/audit?business=${settings.id}`), 'Its audit log'],
                  [`${path}/usage`, 'Count its usage anew …'],
                ]}
              />
            </Panel>
          </div>
        </div>
      </>
    ),
  };
}

/** How many of those that a limit allows, where there is one. */
const ofLimit = (count: number, limit: number | null, without: string): string =>
  limit === null ? `${shownNumber(count)}, ${without}` : `${shownNumber(count)} of ${shownNumber(limit)}`;

const PlanAndCredits = ({ path, shop: { settings, plan, account, overview } }: ShopPanelProps) => (
  <Panel id="plan" title="Plan and credits">
    <FactList
      facts={[
        [
          'Plan',
          settings.periodEnd === null ? (
            `${PLAN_WORDS[plan]}, without an end`
          ) : (
            <>
              {`${PLAN_WORDS[plan]}; the period ${plan === 'lapsed' ? 'ended' : 'ends'} `}
              <ZonedTime at={settings.periodEnd} />
            </>
          ),
        ],
        [
          'Emails in this period',
          ofLimit(account.emailsInPeriod, settings.emailAllowance, 'without a limit'),
        ],
        ['Credits', `${shownNumber(overview.credits.spendable)} ${creditsSentence(overview.credits)}`],
        [
          'Acknowledgement of a WhatsApp reply',
          `${priceWords(settings.replyAckCredits)}${settings.replyAck === 'off' ? '; the shop sends none' : ''}`,
        ],
      ]}
    />
    <div class="acts">
      <LinkButton href={`${path}/plan`} label="Change the plan …" />
      <LinkButton href={`${path}/credits`} label="Add credits …" />
    </div>
  </Panel>
);

function Sending({ path, visit, shop: { settings, account } }: ShopPanelProps) {
  const { paidPerRecipientHour: hourly, countries } = settings;
  const warmup = settings.warmup ? '; warm-up limits them in the first two weeks' : '';
  return (
    <Panel id="sending" title="Sending">
      <FactList
        facts={[
          ['Emails today', ofLimit(account.emailsToday, settings.dailyEmailCap, 'without a cap')],
          ['Language', languageName(languageFor(null, settings.language))],
          ['SMS', `${MODE_WORDS[settings.smsMode]}; ${shownNumber(account.textsToday)} today${warmup}`],
          ['WhatsApp', MODE_WORDS[settings.whatsappMode]],
          [
            'Paid messages to one customer',
            hourly === null
              ? 'Without a limit per hour'
              : `At most ${shownNumber(hourly)} per hour. ${hourlySource(settings)}`,
          ],
          [
            'Countries',
            countries === null
              ? 'Every country but the US and Canada'
              : `${countries.join(', ') || 'None'}. ${countriesSource(settings)}`,
          ],
        ]}
      />
      <div class="acts">
        <LinkButton href={`${path}/limits`} label="Change the limits …" />
        <PostForm
          action={`${path}/${settings.paused ? 'resume' : 'pause'}`}
          visit={visit}
          label={settings.paused ? 'Resume sending' : 'Pause sending'}
          look="quiet"
        />
        {settings.active ? (
          <a class="button dangerous" href={`${path}/deactivate`}>
            Deactivate …
          </a>
        ) : (
          <PostForm action={`${path}/activate`} visit={visit} label="Activate" look="quiet" />
        )}
      </div>
    </Panel>
  );
}
