import { isAllowed } from '../../../members/permissions.ts';
import { BarChart } from '../../kit/barChart.tsx';
import { FlashNote, ZonedTime } from '../../kit/components.tsx';
import { DataTable } from '../../kit/dataTable.tsx';
import type { Flash } from '../../kit/flash.ts';
import { ActionForm, FormField } from '../../kit/forms.tsx';
import type { Site } from '../../kit/page.tsx';
import type { ShopVisit } from '../context.ts';
import { dashboardPage } from '../layout.tsx';
import { OperatorsWay } from '../settings/operatorsSettings.tsx';
import type { CreditMonth, CreditsPage, LedgerPage } from './reads.ts';
import type { LedgerEntry } from './sql.ts';
import { countryName, creditsSentence, shownNumber } from './words.ts';

/** A threshold that was typed and refused. */
export interface ThresholdFault {
  typed: string;
  says: string;
}

interface CreditsProps {
  site: Site;
  visit: ShopVisit;
  credits: CreditsPage;
  ledger: LedgerPage;
  cursor: string | null;
  flash: Flash | null;
  fault: ThresholdFault | null;
}

export function creditsPage({ site, visit, credits, ledger, cursor, flash, fault }: CreditsProps): string {
  const path = site.to(`/dashboard/${visit.shop.id}/credits`);
  return dashboardPage({
    site,
    title: 'Credits',
    visit,
    at: 'credits',
    children: (
      <>
        <h1>Credits</h1>
        {flash && <FlashNote {...flash} />}
        <div class="columns">
          <section class="panel" aria-labelledby="left">
            <h2 id="left">Balance</h2>
            <p class="big-figure">{shownNumber(credits.left.spendable)}</p>
            <p>{creditsSentence(credits.left)}</p>
            <OperatorsWay
              site={site}
              visit={visit}
              ask="Your operator adds credits. Ask them, and say for which shop and how many."
            />
            <Threshold path={path} visit={visit} threshold={credits.threshold} fault={fault} />
          </section>
          <section class="panel" aria-labelledby="months">
            <h2 id="months">Spent per month</h2>
            <BarChart
              title="Credits spent per month"
              unit="Credits"
              period="month"
              bars={credits.months.map(({ month, credits: value }) => ({ label: month, value }))}
            />
          </section>
        </div>
        <Countries months={credits.months} />
        <Ledger site={site} visit={visit} path={path} ledger={ledger} cursor={cursor} />
      </>
    ),
  });
}

function Threshold({
  path,
  visit,
  threshold,
  fault,
}: {
  path: string;
  visit: ShopVisit;
  threshold: number;
  fault: ThresholdFault | null;
}): JSX.Element {
  const says = `When the balance falls below ${shownNumber(threshold)} credits, your shop gets an event and the overview warns.`;
  if (!isAllowed(visit.role, 'settings.change')) return <p class="hint">{says}</p>;
  return (
    <ActionForm action={`${path}/threshold`} formToken={visit.session.formToken}>
      <div class="stack">
        <FormField
          id="threshold"
          label="Low-balance threshold"
          type="number"
          value={fault?.typed ?? String(threshold)}
          fault={fault?.says}
          hint={says}
          required
        />
        <div>
          <button class="button quiet" type="submit">
            Change the threshold
          </button>
        </div>
      </div>
    </ActionForm>
  );
}

function Countries({ months }: { months: readonly CreditMonth[] }): JSX.Element {
  const rows = months
    .toReversed()
    .flatMap(({ month, countries }) => countries.map((country) => ({ month, ...country })));
  return (
    <section class="panel" aria-labelledby="countries">
      <h2 id="countries">By month and country</h2>
      {rows.length === 0 ? (
        <p class="hint">No credits were spent in the last twelve months.</p>
      ) : (
        <DataTable
          caption="Credits spent by month and country, less refunds"
          columns={[
            { title: 'Month', cell: ({ month }) => <span>{month}</span> },
            { title: 'Country', cell: ({ country }) => <span>{countryName(country)}</span> },
            { title: 'Credits', numeric: true, cell: (row) => <span>{shownNumber(row.credits)}</span> },
          ]}
          rows={rows}
        />
      )}
    </section>
  );
}

function Ledger({
  site,
  visit,
  path,
  ledger,
  cursor,
}: {
  site: Site;
  visit: ShopVisit;
  path: string;
  ledger: LedgerPage;
  cursor: string | null;
}): JSX.Element {
  return (
    <section class="panel" aria-labelledby="ledger">
      <h2 id="ledger">Ledger</h2>
      {ledger.items.length === 0 ? (
        <p class="hint">Nothing was granted or charged yet. Your operator grants credits.</p>
      ) : (
        <DataTable
          caption="Ledger, newest first"
          columns={[
            { title: 'Time', cell: ({ at }) => <ZonedTime at={at.toISOString()} /> },
            { title: 'What', cell: (entry) => <span>{whatOf(entry)}</span> },
            { title: 'For', cell: (entry) => <Behind site={site} visit={visit} entry={entry} /> },
            { title: 'Credits', numeric: true, cell: ({ amount }) => <span>{signed(amount)}</span> },
          ]}
          rows={ledger.items}
        />
      )}
      <p class="pager">
        {cursor !== null && <a href={`${path}#ledger`}>Newest</a>}
        {ledger.next_cursor !== null && (
          <a href={`${path}?cursor=${encodeURIComponent(ledger.next_cursor)}#ledger`}>Older entries</a>
        )}
        <a href={`${path}/ledger.csv`}>Download all as CSV</a>
      </p>
    </section>
  );
}

const CHANNELS = { sms: 'text', whatsapp: 'WhatsApp message' } as const;

function whatOf({ kind, channel, country }: LedgerEntry): string {
  if (kind === 'grant') return 'Granted';
  const did = kind === 'charge' ? 'Charged' : 'Given back';
  const noun = channel === null ? '' : ` for a ${CHANNELS[channel]}`;
  return `${did}${noun}${country === null ? '' : ` to ${countryName(country)}`}`;
}

/** The message behind an entry, or why there is none. */
function Behind({ site, visit, entry }: { site: Site; visit: ShopVisit; entry: LedgerEntry }): JSX.Element {
  const { kind, channel, message_id: id, subject, note } = entry;
  if (kind === 'grant') return <bdi>{note ?? 'Credits'}</bdi>;
  if (id !== null)
    return (
      <a href={site.to(`/dashboard/${visit.shop.id}/messages/${id}`)} dir="auto">
        {subject ?? id}
      </a>
    );
  return channel === null ? (
    <span class="hint">a customer who was erased</span>
  ) : (
    <span class="hint">an automatic answer</span>
  );
}

const signed = (amount: number): string => (amount > 0 ? `+${shownNumber(amount)}` : shownNumber(amount));
