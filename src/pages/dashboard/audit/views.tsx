import { EmptyState, Pager, ZonedTime } from '../../kit/components.tsx';
import { DataTable } from '../../kit/dataTable.tsx';
import { type FieldDef, FilterBar, FormFields } from '../../kit/forms.tsx';
import type { Site } from '../../kit/page.tsx';
import { withQuery } from '../../kit/request.ts';
import type { ShopVisit, Visit } from '../context.ts';
import type { Page } from '../layout.tsx';
import { settingsHead } from '../settings/nav.tsx';
import {
  AUDITED_ACTORS,
  type AuditedActor,
  type AuditFilter,
  type AuditPage,
  memberIn,
  PLATFORM_LOG,
} from './reads.ts';
import type { AuditEntry, ShopAuditNames } from './sql.ts';
import { actionWords, actorWords, auditActions, detailLines, placeWords } from './words.ts';

const ACTORS: Record<AuditedActor, string> = {
  member: 'The dashboard',
  key: 'The API',
  operator: 'The command line',
  start: 'A start of the program',
};
const ACTOR_OPTIONS = [
  ['', 'Anywhere'],
  ...AUDITED_ACTORS.map((actor) => [actor, ACTORS[actor]] as const),
] as const;

const SHOP_FIELDS: readonly FieldDef[] = [
  { id: 'from', label: 'From', options: ACTOR_OPTIONS },
  { id: 'action', label: 'What', options: [['', 'Everything'], ...auditActions] },
];
const PLATFORM_FIELDS: readonly FieldDef[] = [
  { id: 'business', label: 'Id of a shop', type: 'text', autocomplete: 'off' },
  { id: 'actor', label: 'From', options: ACTOR_OPTIONS },
  { id: 'action', label: 'Action', type: 'text', autocomplete: 'off' },
];

interface AuditProps<Names> {
  log: AuditPage;
  filter: AuditFilter;
  cursor: string | null;
  /** By the ids of entries, or of shops and members. */
  names: ReadonlyMap<string, Names>;
}

/** Who did what in a shop, from the dashboard, the API and the command line. */
export function auditPage(visit: ShopVisit, props: AuditProps<ShopAuditNames>): Page {
  const { filter, names } = props;
  return {
    title: 'Audit log',
    at: 'settings',
    heading: settingsHead(visit, 'audit'),
    children: (
      <AuditLog
        {...props}
        path={visit.to('/settings/audit')}
        query={{ from: filter.actor, action: filter.action }}
        fields={SHOP_FIELDS}
        columns={[
          { title: 'Who', cell: (entry) => actorOf(entry, names.get(entry.id)) },
          { title: 'What', cell: (entry) => whatOf(visit, entry, names.get(entry.id)) },
        ]}
      />
    ),
  };
}

/** The same of all shops and of none, with the codes that a program reads. */
export function platformAuditPage({ site }: Visit, props: AuditProps<string>): Page {
  const { filter, names } = props;
  const path = site.to('/dashboard/operator/audit');
  return {
    title: 'Audit log',
    operatorAt: 'audit',
    heading: 'Audit log of everything',
    children: (
      <>
        <p class="hint">
          {`Narrow it to a shop by its id, or to what belongs to no shop by “${PLATFORM_LOG}”. An action is written as in the list.`}
        </p>
        <AuditLog
          {...props}
          path={path}
          query={{ ...filter }}
          fields={PLATFORM_FIELDS}
          columns={[
            { title: 'Shop', cell: ({ business_id }) => shopOf(site, business_id, names) },
            { title: 'Who', cell: (entry) => whoOf(entry, names) },
            {
              title: 'What',
              cell: ({ action }) => (
                <a href={withQuery(path, { action })}>
                  <code>{action}</code>
                </a>
              ),
            },
            { title: 'Details', cell: (entry) => detailsOf(site, entry) },
          ]}
        />
      </>
    ),
  };
}

interface AuditLogProps extends Pick<AuditProps<unknown>, 'log' | 'cursor'> {
  path: string;
  /** The filter as the log's address has it. */
  query: Readonly<Record<string, string | null>>;
  fields: readonly FieldDef[];
  columns: Parameters<typeof DataTable<AuditEntry>>[0]['columns'];
}

function AuditLog({ log, cursor, path, query, fields, columns }: AuditLogProps) {
  const typed = Object.fromEntries(Object.entries(query).map(([name, value]) => [name, value ?? '']));
  const isNarrowed = cursor !== null || Object.values(query).some((value) => value !== null);
  return (
    <>
      <FilterBar action={path}>
        <div class="filter-fields">
          <FormFields fields={fields} form={{ typed, faults: {} }} />
        </div>
      </FilterBar>
      {log.items.length > 0 ? (
        <section class="panel audit" aria-label="Entries">
          <DataTable
            caption="Entries, newest first"
            columns={[{ title: 'Time', cell: ({ at }) => <ZonedTime at={at} /> }, ...columns]}
            rows={log.items}
          />
        </section>
      ) : log.isCut ? (
        <EmptyState title="Nothing in this part of the log" text="Older entries may match: go on below." />
      ) : (
        <EmptyState title="There is no such entry" text="Nobody did this yet. Choose something else above." />
      )}
      <Pager
        links={[
          isNarrowed && [path, 'Everything, newest first'],
          log.next_cursor !== null && [
            withQuery(path, { ...query, cursor: log.next_cursor }),
            'Older entries',
          ],
        ]}
      />
    </>
  );
}

const actorOf = (entry: AuditEntry, names: ShopAuditNames | undefined) => (
  <>
    <bdi>{actorWords(entry, names)}</bdi>
    <span class="hint">{` ${placeWords(entry)}`}</span>
  </>
);

const whatOf = (visit: ShopVisit, entry: AuditEntry, names: ShopAuditNames | undefined) => (
  <div class="audit-what">
    <span>{actionWords(entry.action)}</span>
    {detailLines(entry, names).map((line) => (
      <span class="hint" dir="auto">
        {line}
      </span>
    ))}
    {subjectOf(visit, entry, names)}
  </div>
);

/** The customer or the message that it was about, while they are there. */
function subjectOf(visit: ShopVisit, entry: AuditEntry, names: ShopAuditNames | undefined) {
  const messageId = entry.detail.message_id;
  if (typeof messageId === 'string') return <a href={visit.to(`/messages/${messageId}`)}>The message</a>;
  if (entry.recipient_id === null) return null;
  if (!names?.recipient_email) return <span class="hint">A customer who was erased</span>;
  return <a href={visit.to(`/recipients/${entry.recipient_id}`)}>{names.recipient_email}</a>;
}

function shopOf(site: Site, id: string | null, names: ReadonlyMap<string, string>) {
  if (id === null) return <span class="hint">No shop</span>;
  return (
    <a href={site.to(`/dashboard/operator/shops/${id}`)} dir="auto">
      {names.get(id) ?? id}
    </a>
  );
}

function whoOf(entry: AuditEntry, names: ReadonlyMap<string, string>): string {
  const { actor } = entry;
  const member = memberIn(entry);
  if (member !== null) return names.get(member) ?? 'Somebody who is gone';
  if (actor.startsWith('key:')) return `API key ${actor.slice('key:'.length)}`;
  const kind = AUDITED_ACTORS.find((known) => known === actor);
  return kind === undefined ? actor : ACTORS[kind];
}

/** A customer is named by their page: an address in this log would outlive them. */
const detailsOf = (site: Site, { business_id: shop, recipient_id: recipient, detail }: AuditEntry) => (
  <span class="audit-details">
    {shop !== null && recipient !== null && (
      <a href={site.to(`/dashboard/${shop}/recipients/${recipient}`)}>The customer</a>
    )}
    {Object.entries(detail).map(([name, value]) => (
      <span class="hint">{`${name}: ${shownValue(value)}`}</span>
    ))}
  </span>
);

function shownValue(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'object' && value !== null && 'from' in value && 'to' in value)
    return `${shownValue(value.from)} → ${shownValue(value.to)}`;
  return value === null ? 'none' : JSON.stringify(value);
}
