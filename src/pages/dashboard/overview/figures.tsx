import type { UsagePeriod } from '../../../contract/usage.ts';
import { Panel } from '../../kit/components.tsx';
import type { InShop } from '../context.ts';
import { shownCredits, shownNumber } from '../credits/words.ts';
import { messagesPath } from '../messages/filters.tsx';
import type { OverviewPage } from './reads.ts';
import { shareOf } from './series.ts';

interface Days {
  from: string;
  to: string;
}

interface Figure {
  title: string;
  of(period: UsagePeriod): number;
  /** What the figure is of something else. */
  share?(period: UsagePeriod): string | null;
  /** The list that it counts; without: there is no such list. */
  path?(days: Days): string;
}

const paidOf = ({ sms, whatsapp }: UsagePeriod): number => sms.sent + whatsapp.sent;
const shareWords = (part: number, whole: number, of: string): string | null => {
  const share = shareOf(part, whole);
  return share === null ? null : `${share}% ${of}`;
};
const sharesOf = ({ email: { sent, delivered, opened } }: UsagePeriod) => ({
  delivered: shareWords(delivered, sent, 'of those sent'),
  opened: shareWords(opened, delivered, 'of those delivered'),
});

const FIGURES: readonly Figure[] = [
  { title: 'Messages', of: ({ messages }) => messages, path: (days) => messagesPath(days) },
  {
    title: 'Emails delivered',
    of: ({ email }) => email.delivered,
    share: (period) => sharesOf(period).delivered,
    path: (days) => messagesPath({ ...days, email: 'delivered' }),
  },
  {
    title: 'Opened',
    of: ({ email }) => email.opened,
    share: (period) => sharesOf(period).opened,
    path: (days) => messagesPath({ ...days, email: 'opened' }),
  },
  { title: 'SMS and WhatsApp sent', of: paidOf, path: () => '/credits#ledger' },
  {
    title: 'SMS and WhatsApp avoided',
    of: ({ avoided }) => avoided.opened_first + avoided.whatsapp_sufficed + avoided.retracted,
    share: ({ avoided }) => (avoided.credits === 0 ? null : `${shownCredits(avoided.credits)} saved`),
  },
];

export function Figures({ visit, overview: { today, month, before } }: InShop<{ overview: OverviewPage }>) {
  const [from = '', to = ''] = [month.items[0]?.period, month.items.at(-1)?.period];
  return (
    <Panel id="figures" title="Today and the last 30 days">
      <ul class="figures">
        {FIGURES.map(({ title, of, share, path }) => {
          const number = (period: UsagePeriod, days: Days) => {
            const shown = shownNumber(of(period));
            return path === undefined ? shown : <a href={visit.to(path(days))}>{shown}</a>;
          };
          const words = share?.(month.total) ?? null;
          return (
            <li>
              <span class="hint">{title}</span>
              <strong>{number(today, { from: to, to })}</strong>
              <span class="hint">
                {number(month.total, { from, to })} in 30 days{words !== null && `, ${words}`}
              </span>
            </li>
          );
        })}
      </ul>
      {before.total.messages > 0 && <Before visit={visit} before={before} />}
    </Panel>
  );
}

function Before({ visit, before: { total, from, to } }: InShop<Pick<OverviewPage, 'before'>>) {
  const { delivered, opened } = sharesOf(total);
  const more = [
    delivered !== null && `delivered ${delivered}`,
    opened !== null && `opened ${opened}`,
    `${shownNumber(paidOf(total))} SMS and WhatsApp sent`,
  ].filter((words) => words !== false);
  return (
    <p class="hint">
      The 30 days before: <a href={visit.to(messagesPath({ from, to }))}>{shownNumber(total.messages)}</a>{' '}
      messages, {more.join(', ')}.
    </p>
  );
}
