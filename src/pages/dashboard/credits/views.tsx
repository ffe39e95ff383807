import { countryName } from '../../../kit/countryName.ts';
import { PAID_NOUNS_WITH_ARTICLE } from '../../kit/channelWords.ts';
import { shownMonth } from '../../kit/charts/days.ts';
import { Pager, Panel, ZonedTime } from '../../kit/components.tsx';
import { DataTable } from '../../kit/dataTable.tsx';
import { FormField, PostForm } from '../../kit/forms.tsx';
import type { ListPage } from '../../kit/listPage.ts';
import { fieldState, type RefusedForm } from '../../kit/typedForm.ts';
import type { ShopVisit } from '../context.ts';
import type { Page } from '../layout.tsx';
import { OperatorsWay } from '../settings/operatorsSettings.tsx';
import { CountriesChart, CreditsLine, costByCountry, ledgerOfMonth, MonthsChart } from './charts.tsx';
import type { CreditsPage } from './reads.ts';
import type { LedgerEntry } from './sql.ts';
import { creditsSentence, shownNumber } from './words.ts';

interface CreditsProps {
  visit: ShopVisit;
  credits: CreditsPage;
  /** Newest first. */
  ledger: ListPage<LedgerEntry>;
  cursor: string | null;
  /** The threshold that was typed and refused. */
  form: RefusedForm;
}

export function creditsPage(props: CreditsProps): Page {
  const { visit, credits } = props;
  return {
    title: 'Credits',
    at: 'credits',
    children: (
      <>
        <div class="columns">
          <Panel id="left" title="Balance">
            <p class="big-figure">{shownNumber(credits.left.spendable)}</p>
            <p>{creditsSentence(credits.left)}</p>
            <OperatorsWay
              visit={visit}
              ask="Your operator adds credits. Ask them, and say for which shop and how many."
            />
            <Threshold {...props} />
          </Panel>
          <Panel id="days" title="Credits left">
            <CreditsLine visit={visit} spendable={credits.left.spendable} days={credits.days} />
          </Panel>
        </div>
        <div class="columns">
          <Panel id="months" title="Spent per month">
            <MonthsChart visit={visit} months={credits.months} />
          </Panel>
          <Panel id="by-country" title="Spent by country">
            <CountriesPanel {...props} />
          </Panel>
        </div>
        <Countries {...props} />
        <Ledger {...props} />
      </>
    ),
  };
}

function Threshold({ visit, credits: { threshold }, form }: CreditsProps) {
  const hint = `When the balance falls below ${shownNumber(threshold)} credits, your shop gets an event and the overview warns.`;
  if (!visit.may('settings.change')) return <p class="hint">{hint}</p>;
  return (
    <PostForm visit={visit} action={visit.to('/credits/threshold')} label="Change the threshold" look="quiet">
      <FormField
        {...fieldState(form, 'threshold', String(threshold))}
        label="Low-balance threshold"
        type="number"
        hint={hint}
        required
      />
    </PostForm>
  );
}

const NO_CREDITS_SPENT = 'No credits were spent in the last twelve months.';

const CountriesPanel = ({ visit, credits: { months } }: CreditsProps) =>
  costByCountry(months).length === 0 ? (
    <p class="hint">{NO_CREDITS_SPENT}</p>
  ) : (
    <CountriesChart visit={visit} months={months} />
  );

function Countries({ visit, credits: { months } }: CreditsProps) {
  const rows = months
    .toReversed()
    .flatMap(({ month, countries }) => countries.map((country) => ({ month, ...country })));
  return (
    <Panel id="countries" title="By month and country">
      <DataTable
        caption="Credits spent by month and country, less refunds"
        none={NO_CREDITS_SPENT}
        columns={[
          { title: 'Month', cell: ({ month }) => <span>{shownMonth(month)}</span> },
          {
            title: 'Country',
            cell: ({ country }) => <span>{country === null ? 'Not known' : countryName(country)}</span>,
          },
          {
            title: 'Credits',
            numeric: true,
            cell: (row) => <a href={ledgerOfMonth(visit, row.month)}>{shownNumber(row.credits)}</a>,
          },
        ]}
        rows={rows}
      />
    </Panel>
  );
}

function Ledger({ visit, ledger: { items, next_cursor: older }, cursor }: CreditsProps) {
  const path = visit.to('/credits');
  return (
    <Panel id="ledger" title="Ledger">
      <DataTable
        caption="Ledger, newest first"
        none="Nothing was granted or charged yet. Your operator grants credits."
        columns={[
          { title: 'Time', cell: ({ at }) => <ZonedTime at={at} /> },
          { title: 'What', cell: whatOf },
          { title: 'For', cell: (entry) => <Behind visit={visit} entry={entry} /> },
          { title: 'Credits', numeric: true, cell: ({ amount }) => signed(amount) },
        ]}
        rows={items}
      />
      <Pager
        links={[
          cursor !== null && [`${path}#ledger`, 'Newest'],
          older !== null && [`${path}?cursor=${encodeURIComponent(older)}#ledger`, 'Older entries'],
          [`${path}/ledger.csv`, 'Download all as CSV'],
        ]}
      />
    </Panel>
  );
}

function whatOf({ kind, channel, country }: LedgerEntry): string {
  if (kind === 'grant') return 'Granted';
  const did = kind === 'charge' ? 'Charged' : 'Refunded';
  const noun = channel === null ? '' : ` for ${PAID_NOUNS_WITH_ARTICLE[channel]}`;
  return `${did}${noun}${country === null ? '' : ` to ${countryName(country)}`}`;
}

/** The message behind an entry, or why there is none. */
function Behind({ visit, entry }: { visit: ShopVisit; entry: LedgerEntry }) {
  const { kind, channel, message_id: id, subject, note } = entry;
  if (kind === 'grant') return <bdi>{note ?? 'Credits'}</bdi>;
  if (id !== null)
    return (
      <a href={visit.to(`/messages/${id}`)} dir="auto">
        {subject ?? id}
      </a>
    );
  return <span class="hint">{channel === null ? 'a customer who was erased' : 'an automatic answer'}</span>;
}

const signed = (amount: number): string => (amount > 0 ? `+${shownNumber(amount)}` : shownNumber(amount));
