import type { Visit } from '../../dashboard/context.ts';
import { dashboardPage } from '../../dashboard/layout.tsx';
import { EmptyState, FlashNote, ZonedTime } from '../../kit/components.tsx';
import { DataTable } from '../../kit/dataTable.tsx';
import type { Flash } from '../../kit/flash.ts';
import { ActionForm, ConfirmSheet, FormField } from '../../kit/forms.tsx';
import type { Site } from '../../kit/page.tsx';
import { fieldState, type RefusedForm } from '../../kit/typedForm.ts';
import type { PeopleList } from './reads.ts';
import type { ListedPerson } from './sql.ts';

interface PeopleProps {
  site: Site;
  visit: Visit;
  operators: readonly ListedPerson[];
  list: PeopleList;
  cursor: string | null;
  /** The address that was looked up; null: everybody is listed. */
  asked: string | null;
  flash: Flash | null;
  form: RefusedForm;
}

export function peoplePage(props: PeopleProps): string {
  const { site, visit, operators, list, cursor, asked, flash, form } = props;
  const path = site.to('/dashboard/operator/people');
  return dashboardPage({
    site,
    title: 'People',
    visit,
    operatorAt: 'people',
    children: (
      <>
        <h1>People who may sign in</h1>
        {flash && <FlashNote {...flash} />}
        <section class="panel" aria-labelledby="operators">
          <h2 id="operators">Operators</h2>
          <p class="hint">They have every shop, and these pages.</p>
          <DataTable
            caption="Operators"
            columns={[
              { title: 'Address', cell: ({ email }) => <span>{email}</span> },
              {
                title: 'Since',
                cell: ({ operator_since: since }) => since && <ZonedTime at={since.toISOString()} />,
              },
              { title: 'Last seen', cell: LastSeen },
            ]}
            rows={operators}
          />
          <div>
            <a class="button quiet" href={site.to('/dashboard/operator/operators/new')}>
              Add an operator …
            </a>
          </div>
        </section>
        <ActionForm action={path} formToken={visit.session.formToken}>
          <div class="finder">
            <FormField
              {...fieldState(form, 'email', asked ?? '')}
              label="Find a person by their address"
              type="email"
              autocomplete="off"
              required
            />
            <button class="button quiet" type="submit">
              Find
            </button>
          </div>
        </ActionForm>
        {list.items.length === 0 ? (
          <EmptyState title="Nobody has this address">
            <p>Nobody may sign in with it. An owner adds members to a shop in its settings.</p>
          </EmptyState>
        ) : (
          <section class="panel" aria-labelledby="everybody">
            <h2 id="everybody">{asked === null ? 'Everybody, newest first' : 'Found'}</h2>
            <DataTable
              caption="People, with their shops"
              columns={[
                { title: 'Address', cell: ({ email }) => <span>{email}</span> },
                { title: 'Shops', cell: (person) => <Shops site={site} person={person} /> },
                { title: 'Last seen', cell: LastSeen },
              ]}
              rows={list.items}
            />
          </section>
        )}
        <p class="pager">
          {(cursor !== null || asked !== null) && <a href={path}>Everybody, newest first</a>}
          {list.next_cursor !== null && (
            <a href={`${path}?cursor=${encodeURIComponent(list.next_cursor)}`}>Older members</a>
          )}
        </p>
      </>
    ),
  });
}

const LastSeen = ({ last_seen_at: at }: ListedPerson): JSX.Element =>
  at === null ? <span class="hint">Not signed in</span> : <ZonedTime at={at.toISOString()} />;

function Shops({ site, person }: { site: Site; person: ListedPerson }): JSX.Element {
  const { shops, shop_count: count, operator_since: since } = person;
  const rest = count - shops.length;
  return (
    <span>
      {shops.map(({ id, name, role }) => (
        <span class="person-shop">
          <a href={site.to(`/dashboard/operator/shops/${id}`)} dir="auto">
            {name}
          </a>{' '}
          <span class="hint">{role}</span>
        </span>
      ))}
      {rest > 0 && <span class="hint">and {rest} more</span>}
      {count === 0 && <span class="hint">{since === null ? 'None' : 'All, as an operator'}</span>}
    </span>
  );
}

export const newOperatorPage = ({
  site,
  visit,
  form,
}: {
  site: Site;
  visit: Visit;
  form: RefusedForm;
}): string =>
  dashboardPage({
    site,
    title: 'Add an operator',
    visit,
    operatorAt: 'people',
    children: (
      <ConfirmSheet
        title="Add an operator"
        action={site.to('/dashboard/operator/operators/new')}
        formToken={visit.session.formToken}
        label="Make them an operator"
        isDangerous
        back={{ href: site.to('/dashboard/operator/people'), label: 'Back' }}
      >
        <div class="stack">
          <p>
            An operator sees every shop with all its customers, can do everything in it, and can add more
            operators.
          </p>
          <FormField
            {...fieldState(form, 'email')}
            label="Their address"
            type="email"
            hint="They sign in with it, by a link that is mailed to them."
            autocomplete="off"
            required
          />
        </div>
      </ConfirmSheet>
    ),
  });
