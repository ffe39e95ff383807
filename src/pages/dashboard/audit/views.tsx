import { EmptyState, ZonedTime } from '../../kit/components.tsx';
import { DataTable } from '../../kit/dataTable.tsx';
import { FilterBar, SelectField } from '../../kit/forms.tsx';
import type { Site } from '../../kit/page.tsx';
import type { ShopVisit } from '../context.ts';
import { dashboardPage } from '../layout.tsx';
import { SettingsHead } from '../settings/nav.tsx';
import type { ActorKind, AuditFilter, AuditPage } from './reads.ts';
import type { AuditRow } from './sql.ts';
import { actionWords, actorWords, auditActions, detailLines, placeWords } from './words.ts';

const KINDS = [
  ['', 'Anywhere'],
  ['member', 'The dashboard'],
  ['key', 'The API'],
  ['operator', 'The command line'],
] as const satisfies readonly (readonly [ActorKind | '', string])[];

interface AuditProps {
  site: Site;
  visit: ShopVisit;
  log: AuditPage;
  filter: AuditFilter;
  cursor: string | null;
}

/** Who did what, from the dashboard, the API and the command line. */
export function auditPage({ site, visit, log, filter, cursor }: AuditProps): string {
  const path = site.to(`/dashboard/${visit.shop.id}/settings/audit`);
  return dashboardPage({
    site,
    title: 'Audit log',
    visit,
    at: 'settings',
    children: (
      <>
        <SettingsHead site={site} visit={visit} at="audit" />
        <FilterBar action={path}>
          <div class="filter-fields">
            <SelectField id="from" label="From" value={filter.kind ?? ''} options={KINDS} />
            <SelectField
              id="action"
              label="What"
              value={filter.action ?? ''}
              options={[['', 'Everything'], ...auditActions]}
            />
          </div>
        </FilterBar>
        {log.items.length === 0 ? (
          <EmptyState title="Nothing was found">
            <p>
              {log.isCut
                ? 'Nothing of this kind is among the entries that were looked through. Look at older ones below.'
                : 'Nobody did this yet. Choose something else above.'}
            </p>
          </EmptyState>
        ) : (
          <section class="panel audit" aria-labelledby="entries">
            <h2 id="entries">Who did what</h2>
            <DataTable
              caption="Acts, newest first"
              columns={[
                { title: 'Time', cell: ({ at }) => <ZonedTime at={at.toISOString()} /> },
                { title: 'Who', cell: (entry) => <Actor entry={entry} /> },
                { title: 'What', cell: (entry) => <What site={site} visit={visit} entry={entry} /> },
              ]}
              rows={log.items}
            />
          </section>
        )}
        <p class="pager">
          {cursor !== null && <a href={pageAddress(path, filter, null)}>Newest</a>}
          {log.next_cursor !== null && (
            <a href={pageAddress(path, filter, log.next_cursor)}>
              {log.isCut ? 'Look through older entries' : 'Older entries'}
            </a>
          )}
        </p>
      </>
    ),
  });
}

function pageAddress(path: string, { kind, action }: AuditFilter, cursor: string | null): string {
  const query = new URLSearchParams({
    ...(kind !== null && { from: kind }),
    ...(action !== null && { action }),
    ...(cursor !== null && { cursor }),
  }).toString();
  return query === '' ? path : `${path}?${query}`;
}

function Actor({ entry }: { entry: AuditRow }): JSX.Element {
  return (
    <>
      <bdi>{actorWords(entry)}</bdi>
      <span class="hint">{` ${placeWords(entry)}`}</span>
    </>
  );
}

function What({ site, visit, entry }: { site: Site; visit: ShopVisit; entry: AuditRow }): JSX.Element {
  return (
    <div class="audit-what">
      <span>{actionWords(entry.action)}</span>
      {detailLines(entry).map((line) => (
        <span class="hint" dir="auto">
          {line}
        </span>
      ))}
      <About site={site} visit={visit} entry={entry} />
    </div>
  );
}

/** The customer or the message that it was about, while they are there. */
function About({
  site,
  visit,
  entry,
}: {
  site: Site;
  visit: ShopVisit;
  entry: AuditRow;
}): JSX.Element | null {
  const { recipient_id: recipientId, recipient_email: email, detail } = entry;
  const shop = site.to(`/dashboard/${visit.shop.id}`);
  const messageId = detail.message_id;
  if (typeof messageId === 'string') return <a href={`${shop}/messages/${messageId}`}>The message</a>;
  if (recipientId === null) return null;
  if (email === null) return <span class="hint">A customer who was erased</span>;
  return <a href={`${shop}/recipients/${recipientId}`}>{email}</a>;
}
