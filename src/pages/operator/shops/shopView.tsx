import { languageFor, languageName } from '../../../language/languages.ts';
import { countriesSource, hourlySource, MODE_WORDS } from '../../dashboard/channels/words.ts';
import type { Visit } from '../../dashboard/context.ts';
import { creditsSentence, shownNumber } from '../../dashboard/credits/words.ts';
import { dashboardPage } from '../../dashboard/layout.tsx';
import { FlashNote, ZonedTime } from '../../kit/components.tsx';
import type { Flash } from '../../kit/flash.ts';
import { ActionForm } from '../../kit/forms.tsx';
import type { Site } from '../../kit/page.tsx';
import type { RefusedForm } from '../../kit/typedForm.ts';
import { PLAN_WORDS, ShopState } from '../words.tsx';
import { ShopHealth, ShopMembers, ShopSenders } from './parts.tsx';
import type { OperatedShop } from './reads.ts';
export interface OperatedShopProps {
  site: Site;
  visit: Visit;
  shop: OperatedShop;
  flash: Flash | null;
  /** A sender that was typed and refused, or an act that is not possible. */
  form: RefusedForm;
}

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

/** Everything an operator knows of a shop, and what they can do to it. */
export function operatedShopPage(props: OperatedShopProps): string {
  const { site, visit, shop, flash, form } = props;
  const { settings, plan, overview } = shop;
  const path = site.to(`/dashboard/operator/shops/${settings.id}`);
  return dashboardPage({
    site,
    title: settings.name,
    visit,
    operatorAt: 'shops',
    children: (
      <>
        <header class="message-head">
          <h1 dir="auto">{settings.name}</h1>
          <ShopState active={settings.active} paused={settings.paused} plan={plan} />
          <p class="hint">
            <code>{settings.id}</code> · since <ZonedTime at={settings.createdAt.toISOString()} />
          </p>
          <p class="pager">
            {SHOP_LINKS.map(([below, title]) => (
              <a href={site.to(`/dashboard/${settings.id}${below}`)}>{title}</a>
            ))}
          </p>
        </header>
        {flash && <FlashNote {...flash} />}
        {Object.values(form.faults).map((fault) => (
          <FlashNote tone="bad" text={`Nothing was changed. ${fault}`} />
        ))}
        {overview.attention.map(({ tone, says, page }) => (
          <FlashNote tone={tone} text={says} href={site.to(`/dashboard/${settings.id}${page}`)} />
        ))}
        <div class="columns">
          <div class="column">
            <PlanAndCredits path={path} shop={shop} />
            <Sending path={path} visit={visit} shop={shop} />
            <ShopMembers site={site} shop={shop} />
          </div>
          <div class="column">
            <ShopHealth site={site} shop={shop} />
            <ShopSenders path={path} visit={visit} shop={shop} form={form} />
            <More path={path} site={site} id={settings.id} />
          </div>
        </div>
      </>
    ),
  });
}

function PlanAndCredits({ path, shop }: { path: string; shop: OperatedShop }): JSX.Element {
  const { settings, plan, account, overview } = shop;
  return (
    <section class="panel" aria-labelledby="plan">
      <h2 id="plan">Plan and credits</h2>
      <dl class="answers">
        <dt>Plan</dt>
        <dd>
          <span>{PLAN_WORDS[plan]}</span>
          {settings.periodEnd === null ? (
            ', without an end'
          ) : (
            <>
              {plan === 'lapsed' ? '; the period ended ' : '; the period ends '}
              <ZonedTime at={settings.periodEnd.toISOString()} />
            </>
          )}
        </dd>
        <dt>Emails in this period</dt>
        <dd>
          {settings.emailAllowance === null
            ? `${shownNumber(account.emailsInPeriod)}, without a limit`
            : `${shownNumber(account.emailsInPeriod)} of ${shownNumber(settings.emailAllowance)}`}
        </dd>
        <dt>Credits</dt>
        <dd>{`${shownNumber(overview.credits.spendable)} ${creditsSentence(overview.credits)}`}</dd>
      </dl>
      <div class="acts">
        <a class="button quiet" href={`${path}/plan`}>
          Change the plan …
        </a>
        <a class="button quiet" href={`${path}/credits`}>
          Add credits …
        </a>
      </div>
    </section>
  );
}

function Sending({ path, visit, shop }: { path: string; visit: Visit; shop: OperatedShop }): JSX.Element {
  const { settings, account } = shop;
  const { formToken } = visit.session;
  return (
    <section class="panel" aria-labelledby="sending">
      <h2 id="sending">Sending</h2>
      <dl class="answers">
        <dt>Emails today</dt>
        <dd>
          {`${shownNumber(account.emailsToday)}${settings.dailyEmailCap === null ? ', without a cap' : ` of ${shownNumber(settings.dailyEmailCap)}`}`}
        </dd>
        <dt>Language</dt>
        <dd>{languageName(languageFor(null, settings.language))}</dd>
        <dt>Texts</dt>
        <dd>
          {`${MODE_WORDS[settings.smsMode]}; ${shownNumber(account.textsToday)} today${settings.warmup ? '; warm-up limits them in the first two weeks' : ''}`}
        </dd>
        <dt>WhatsApp</dt>
        <dd>{MODE_WORDS[settings.whatsappMode]}</dd>
        <dt>Paid messages to one customer</dt>
        <dd>
          {settings.paidPerRecipientHour === null
            ? 'Without a limit per hour'
            : `At most ${shownNumber(settings.paidPerRecipientHour)} per hour. ${hourlySource(settings)}`}
        </dd>
        <dt>Countries</dt>
        <dd>
          {settings.countries === null
            ? 'Every country but the US and Canada'
            : `${settings.countries.join(', ') || 'None'}. ${countriesSource(settings)}`}
        </dd>
      </dl>
      <div class="acts">
        <a class="button quiet" href={`${path}/limits`}>
          Change the limits …
        </a>
        <ActionForm action={`${path}/${settings.paused ? 'resume' : 'pause'}`} formToken={formToken}>
          <button class="button quiet" type="submit">
            {settings.paused ? 'Resume sending' : 'Pause sending'}
          </button>
        </ActionForm>
        {settings.active ? (
          <a class="button dangerous" href={`${path}/deactivate`}>
            Deactivate …
          </a>
        ) : (
          <ActionForm action={`${path}/activate`} formToken={formToken}>
            <button class="button quiet" type="submit">
              Activate
            </button>
          </ActionForm>
        )}
      </div>
    </section>
  );
}

function More({ path, site, id }: { path: string; site: Site; id: string }): JSX.Element {
  return (
    <section class="panel" aria-labelledby="more">
      <h2 id="more">More</h2>
      <p class="pager">
        <a href={`${path}/suppressions`}>Addresses that it does not email</a>
        <a href={site.to(`/dashboard/operator/audit?business=${id}`)}>Its audit log</a>
        <a href={`${path}/usage`}>Count its usage anew …</a>
      </p>
    </section>
  );
}
