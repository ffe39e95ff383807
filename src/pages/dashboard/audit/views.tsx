import { EmptyState, Pager, ZonedTime } from '../../kit/components.tsx';
import { DataTable } from '../../kit/dataTable.tsx';
import { FilterBar, SelectField } from '../../kit/forms.tsx';
import type { ShopVisit } from '../context.ts';
import type { Page } from '../layout.tsx';
import { settingsHead } from '../settings/nav.tsx';
import type { ActorKind, AuditFilter, AuditPage } from './reads.ts';
import type { AuditRow } from './sql.ts';
import { actionWords, actorWords, auditActions, detailLines, placeWords } from './words.ts';

const KINDS = [
  ['', 'Anywhere'],
  ['member', 'The dashboard'],
  ['key', 'The API'],
  ['operator', 'The command line'],
] as const satisfies readonly (readonly [ActorKind | '', string])[];

/** Who did what, from the dashboard, the API and the command line. */
export function auditPage(
  visit: ShopVisit,
  log: AuditPage,
  filter: AuditFilter,
  cursor: string | null,
): Page {
  const path = visit.to('/settings/audit');
  const { items, next_cursor: older, isCut } = log;
  return {
    title: 'Audit log',
    at: 'settings',
    heading: settingsHead(visit, 'audit'),
    children: (
      <>
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
        {items.length === 0 ? (
          <EmptyState
            title="Nothing was found"
            text={
              isCut
                ? 'Nothing of this kind is among the entries that were looked through. Look at older ones below.'
                : 'Nobody did this yet. Choose something else above.'
            }
          />
        ) : (
          <section class="panel audit" aria-labelledby="entries">
            <h2 id="entries">Who did what</h2>
            <DataTable
              caption="Actions, newest first"
              columns={[
                { title: 'Time', cell: ({ at }) => <ZonedTime at={at} /> },
                { title: 'Who', cell: (entry) => <Actor entry={entry} /> },
                { title: 'What', cell: (entry) => <What visit={visit} entry={entry} /> },
              ]}
              rows={items}
            />
          </section>
        )}
        <Pager
          links={[
            cursor !== null && [pageAddress(path, filter, null), 'Newest'],
            older !== null && [
              pageAddress(path, filter, older),
              isCut ? 'Look through older entries' : 'Older entries',
            ],
          ]}
        />
      </>
    ),
  };
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

interface EntryProps {
  visit: ShopVisit;
  entry: AuditRow;
}

function What({ visit, entry }: EntryProps): JSX.Element {
  return (
    <div class="audit-what">
      <span>{actionWords(entry.action)}</span>
      {detailLines(entry).map((line) => (
        <span class="hint" dir="auto">
          {line}
        </span>
      ))}
      <About visit={visit} entry={entry} />
    </div>
  );
}

/** The customer or the message that it was about, while they are there. */
function About({ visit, entry }: EntryProps): JSX.Element | null {
  const { recipient_id: recipientId, recipient_email: email, detail } = entry;
  const messageId = detail.message_id;
  if (typeof messageId === 'string') return <a href={visit.to(`/messages/${messageId}`)}>The message</a>;
  if (recipientId === null) return null;
  if (email === null) return <span class="hint">A customer who was erased</span>;
  return <a href={visit.to(`/recipients/${recipientId}`)}>{email}</a>;
}
