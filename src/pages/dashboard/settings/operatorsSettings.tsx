import { effectivePlan, type Plan, type Settings } from '../../../businesses/settings.ts';
import { WARMUP_TEXTS_A_DAY } from '../../../config/limits.ts';
import { isAllowed } from '../../../members/permissions.ts';
import { ZonedTime } from '../../kit/components.tsx';
import type { Site } from '../../kit/page.tsx';
import type { ShopVisit } from '../context.ts';
import { shownNumber } from '../credits/words.ts';

const PLANS: Readonly<Record<Plan, string>> = {
  active: 'Active',
  past_due: 'Past due',
  lapsed: 'Lapsed: nothing is sent, and keys only read',
};
const SENDERS: Readonly<Record<string, string>> = { email: 'Email', sms: 'Texts', whatsapp: 'WhatsApp' };

interface OperatorsSettingsProps {
  site: Site;
  visit: ShopVisit;
  settings: Settings;
  senders: readonly { channel: string; address: string }[];
  credits: number;
  now: Date;
}

/** How to get what only operators change: an operator does it, everybody else asks one. */
export function OperatorsWay({
  site,
  visit,
  ask,
}: {
  site: Site;
  visit: ShopVisit;
  ask: string;
}): JSX.Element {
  return (
    <p class="hint">
      {isAllowed(visit.role, 'operator.pages') ? (
        <a href={site.to(`/dashboard/operator/shops/${visit.shop.id}`)}>Change it on the operator’s page</a>
      ) : (
        <span>{ask}</span>
      )}
    </p>
  );
}

/** What the operator decides: shown to everyone, changed by nobody here. */
export function OperatorsSettings({
  site,
  visit,
  settings,
  senders,
  credits,
  now,
}: OperatorsSettingsProps): JSX.Element {
  const { paused, active, periodEnd, emailAllowance, dailyEmailCap, warmup } = settings;
  const limit = (count: number | null): string => (count === null ? 'No limit' : shownNumber(count));
  return (
    <section class="panel" aria-labelledby="operators">
      <h2 id="operators">Decided by your operator</h2>
      <OperatorsWay site={site} visit={visit} ask="Only your operator changes these: ask them." />
      <dl class="answers">
        <dt>Plan</dt>
        <dd>
          <span>{PLANS[effectivePlan(settings, now)]}</span>
          {periodEnd !== null && (
            <>
              {', paid until '}
              <ZonedTime at={periodEnd.toISOString()} />
            </>
          )}
        </dd>
        <dt>Sending</dt>
        <dd>{!active ? 'The shop is switched off' : paused ? 'Paused' : 'Not paused'}</dd>
        <dt>Credits</dt>
        <dd>{shownNumber(credits)}</dd>
        <dt>Emails in a period</dt>
        <dd>{limit(emailAllowance)}</dd>
        <dt>Emails a day</dt>
        <dd>{limit(dailyEmailCap)}</dd>
        <dt>Warm-up of texts</dt>
        <dd>{warmup ? `At most ${WARMUP_TEXTS_A_DAY} a day in the first two weeks` : 'None'}</dd>
        <dt>Senders</dt>
        <dd>
          {senders.length === 0
            ? 'The shared ones'
            : senders.map(({ channel, address }) => `${SENDERS[channel] ?? channel}: ${address}`).join('; ')}
        </dd>
      </dl>
    </section>
  );
}
