import { effectivePlan, type Plan, type Settings } from '../../../businesses/settings.ts';
import type { listSenders } from '../../../businesses/sql.ts';
import { WARMUP_TEXTS_A_DAY } from '../../../config/limits.ts';
import { CHANNEL_TITLES, senderWords } from '../../kit/channelWords.ts';
import { FactList, Panel, ZonedTime } from '../../kit/components.tsx';
import { priceWords } from '../channels/words.ts';
import type { ShopVisit } from '../context.ts';
import { shownNumber } from '../credits/words.ts';

const PLANS: Readonly<Record<Plan, string>> = {
  active: 'Active',
  past_due: 'Past due',
  lapsed: 'Lapsed: nothing is sent, and keys only read',
};

export interface OperatorsSettingsProps {
  visit: ShopVisit;
  settings: Settings;
  senders: Awaited<ReturnType<typeof listSenders>>;
  credits: number;
  now: Date;
}

/** How to get what only operators change: an operator does it, everybody else asks one. */
export const OperatorsWay = ({ visit, ask }: { visit: ShopVisit; ask: string }) => (
  <p class="hint">
    {visit.may('operator.pages') ? (
      <a href={visit.site.to(`/dashboard/operator/shops/${visit.shop.id}`)}>
        Change it on the operator’s page
      </a>
    ) : (
      <span>{ask}</span>
    )}
  </p>
);

const limit = (count: number | null): string => (count === null ? 'No limit' : shownNumber(count));

/** What the operator decides: shown to everyone, changed by nobody here. */
export function OperatorsSettings(props: OperatorsSettingsProps) {
  const { visit, settings, senders, credits, now } = props;
  const { paused, active, periodEnd, emailAllowance, dailyEmailCap, warmup, replyAckCredits } = settings;
  const plan = [
    PLANS[effectivePlan(settings, now)],
    periodEnd && [', paid until ', <ZonedTime at={periodEnd} />],
  ];
  const ownSenders = senders.map((sender) => `${CHANNEL_TITLES[sender.channel]}: ${senderWords(sender)}`);
  return (
    <Panel id="operators" title="Decided by your operator">
      <OperatorsWay visit={visit} ask="Only your operator changes these: ask them." />
      <FactList
        facts={[
          ['Plan', plan],
          ['Sending', !active ? 'The shop is switched off' : paused ? 'Paused' : 'Not paused'],
          ['Credits', shownNumber(credits)],
          ['Emails in a period', limit(emailAllowance)],
          ['Emails a day', limit(dailyEmailCap)],
          ['Warm-up of SMS', warmup ? `At most ${WARMUP_TEXTS_A_DAY} a day in the first two weeks` : 'None'],
          ['An acknowledgement of a reply', priceWords(replyAckCredits)],
          ['Senders', ownSenders.join('; ') || 'The shared ones'],
        ]}
      />
    </Panel>
  );
}
