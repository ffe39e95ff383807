import type { Visit } from '../../dashboard/context.ts';
import { dashboardPage } from '../../dashboard/layout.tsx';
import { EmptyState, ZonedTime } from '../../kit/components.tsx';
import { DataTable } from '../../kit/dataTable.tsx';
import { FilterBar, FormField, SelectField } from '../../kit/forms.tsx';
import type { Site } from '../../kit/page.tsx';
import {
  AUDITED_ACTORS,
  PLATFORM_LOG,
  type PlatformAuditLogFilter,
  type PlatformAuditLogPage,
} from './reads.ts';
import type { PlatformAuditLogEntry } from './sql.ts';

interface PlatformAuditLogProps {
  site: Site;
  visit: Visit;
  filter: PlatformAuditLogFilter;
  cursor: string | null;
  log: PlatformAuditLogPage;
}

const ACTORS: Record<(typeof AUDITED_ACTORS)[number], string> = {
  member: 'People in the dashboard',
  key: 'API keys',
  operator: 'The command line',
  start: 'A start of the program',
};

export function platformAuditLogPage({ site, visit, filter, cursor, log }: PlatformAuditLogProps): string {
  const path = site.to('/dashboard/operator/audit');
  const isFiltered = Object.values(filter).some((value) => value !== null);
  return dashboardPage({
    site,
    title: 'Audit log',
    visit,
    operatorAt: 'audit',
    children: (
      <>
        <h1>Audit log of everything</h1>
        <p class="hint">
          {`Narrow it to a shop by its id, or to what belongs to no shop by “${PLATFORM_LOG}”. An action is written as in the list.`}
        </p>
        <FilterBar action={path}>
          <div class="filter-fields">
            <FormField
              id="business"
              label="Id of a shop"
              type="text"
              value={filter.business ?? ''}
              autocomplete="off"
            />
            <SelectField
              id="actor"
              label="Who acted"
              value={filter.actor ?? ''}
              options={[['', 'Anybody'], ...AUDITED_ACTORS.map((actor) => [actor, ACTORS[actor]] as const)]}
            />
            <FormField
              id="action"
              label="Action"
              type="text"
              value={filter.action ?? ''}
              autocomplete="off"
            />
          </div>
        </FilterBar>
        {log.items.length === 0 ? (
          <Nothing hasMore={log.next_cursor !== null} />
        ) : (
          <section class="panel audit-log" aria-label="Entries">
            <DataTable
              caption="Entries, newest first"
              columns={[
                { title: 'Time', cell: ({ at }) => <ZonedTime at={at.toISOString()} /> },
                { title: 'Shop', cell: (entry) => <ShopOf site={site} entry={entry} /> },
                {
                  title: 'Who',
                  cell: (entry) => <span>{whoOf(entry)}</span>,
                },
                {
                  title: 'What',
                  cell: ({ action }) => (
                    <a href={`${path}?action=${encodeURIComponent(action)}`}>
                      <code>{action}</code>
                    </a>
                  ),
                },
                { title: 'Details', cell: (entry) => <Details site={site} entry={entry} /> },
              ]}
              rows={log.items}
            />
          </section>
        )}
        <p class="pager">
          {(isFiltered || cursor !== null) && <a href={path}>Everything, newest first</a>}
          {log.next_cursor !== null && <a href={olderPath(path, filter, log.next_cursor)}>Older entries</a>}
        </p>
      </>
    ),
  });
}

const olderPath = (path: string, filter: PlatformAuditLogFilter, cursor: string): string => {
  const query = new URLSearchParams({ cursor });
  for (const [name, value] of Object.entries(filter)) if (value !== null) query.set(name, value);
  return `${path}?${query}`;
};

const Nothing = ({ hasMore }: { hasMore: boolean }): JSX.Element =>
  hasMore ? (
    <EmptyState title="Nothing in this part of the log">
      <p>Older entries may match: go on below.</p>
    </EmptyState>
  ) : (
    <EmptyState title="There is no such entry">
      <p>Whatever changes a shop, by the dashboard, the API or the command line, leaves an entry here.</p>
    </EmptyState>
  );

function ShopOf({ site, entry }: { site: Site; entry: PlatformAuditLogEntry }): JSX.Element {
  const { business_id: id, business_name: name } = entry;
  return id === null ? (
    <span class="hint">No shop</span>
  ) : (
    <a href={site.to(`/dashboard/operator/shops/${id}`)} dir="auto">
      {name ?? id}
    </a>
  );
}

function whoOf({ actor, member_email: email }: PlatformAuditLogEntry): string {
  if (email !== null) return email;
  if (actor.startsWith('member:')) return 'Somebody who is gone';
  if (actor.startsWith('key:')) return `API key ${actor.slice('key:'.length)}`;
  const kind = AUDITED_ACTORS.find((known) => known === actor);
  return kind === undefined ? actor : ACTORS[kind];
}

/** A customer is named by their page: an address in this log would outlive them. */
function Details({ site, entry }: { site: Site; entry: PlatformAuditLogEntry }): JSX.Element {
  const { business_id: id, recipient_id: recipient, detail } = entry;
  return (
    <span class="audit-details">
      {id !== null && recipient !== null && (
        <a href={site.to(`/dashboard/${id}/recipients/${recipient}`)}>The customer</a>
      )}
      {Object.entries(detail).map(([name, value]) => (
        <span class="hint">{`${name}: ${shownValue(value)}`}</span>
      ))}
    </span>
  );
}

function shownValue(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'object' && value !== null && 'from' in value && 'to' in value)
    return `${shownValue(value.from)} → ${shownValue(value.to)}`;
  return value === null ? 'none' : JSON.stringify(value);
}
