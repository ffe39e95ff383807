import { confirmPage } from '../../dashboard/confirm.tsx';
import type { Visit } from '../../dashboard/context.ts';
import type { Page } from '../../dashboard/layout.tsx';
import { EmptyState, LinkButton, Pager, Panel, ZonedTime } from '../../kit/components.tsx';
import { DataTable } from '../../kit/dataTable.tsx';
import { ActionForm, FormFields, SubmitButton } from '../../kit/forms.tsx';
import type { Site } from '../../kit/page.tsx';
import { withQuery } from '../../kit/request.ts';
import { EMPTY_FORM, type RefusedForm } from '../../kit/typedForm.ts';
import { inputField } from '../fields.ts';
import type { ListedPerson, PeopleList } from './sql.ts';

export interface PeopleShown {
  operators: readonly ListedPerson[];
  list: PeopleList;
  /** Whether the list does not begin with the newest. */
  isPart?: boolean;
  /** The address that was looked up; null: everybody is listed. */
  found?: string | null;
  form?: RefusedForm;
}

export function peoplePage(
  visit: Visit,
  { operators, list, isPart = false, found = null, form = EMPTY_FORM }: PeopleShown,
): Page {
  const path = visit.site.to('/dashboard/operator/people');
  return {
    operatorAt: 'people',
    title: 'People',
    heading: 'People who may sign in',
    children: (
      <>
        <Operators site={visit.site} operators={operators} />
        <ActionForm action={path} formToken={visit.session.formToken}>
          <div class="finder">
            <FormFields
              fields={[inputField('email', 'Find somebody by their address', 'email', { required: true })]}
              form={form}
              values={{ email: found ?? '' }}
            />
            <SubmitButton label="Find" look="quiet" />
          </div>
        </ActionForm>
        {list.items.length === 0 ? (
          <EmptyState
            title="Nobody has this address"
            text="Nobody may sign in with it. An owner adds members to a shop in its settings."
          />
        ) : (
          <Panel id="everybody" title={found === null ? 'Everybody, newest first' : 'Found'}>
            <DataTable
              caption="People, with their shops"
              columns={[
                { title: 'Address', cell: ({ email }) => email },
                { title: 'Shops', cell: (person) => <Shops site={visit.site} person={person} /> },
                { title: 'Last seen', cell: LastSeen },
              ]}
              rows={list.items}
            />
          </Panel>
        )}
        <Pager
          links={[
            (isPart || found !== null) && [path, 'Everybody, newest first'],
            list.next_cursor !== null && [withQuery(path, { cursor: list.next_cursor }), 'Older members'],
          ]}
        />
      </>
    ),
  };
}

const Operators = ({ site, operators }: { site: Site; operators: PeopleShown['operators'] }) => (
  <Panel id="operators" title="Operators">
    <p class="hint">They have every shop, and these pages.</p>
    <DataTable
      caption="Operators"
      columns={[
        { title: 'Address', cell: ({ email }) => email },
        { title: 'Since', cell: ({ operator_since: since }) => since && <ZonedTime at={since} /> },
        { title: 'Last seen', cell: LastSeen },
      ]}
      rows={operators}
    />
    <div>
      <LinkButton href={site.to('/dashboard/operator/operators/new')} label="Add an operator …" />
    </div>
  </Panel>
);

const LastSeen = ({ last_seen_at: at }: ListedPerson) =>
  at === null ? <span class="hint person-seen">Not signed in</span> : <ZonedTime at={at} />;

function Shops({ site, person }: { site: Site; person: ListedPerson }) {
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

const NEW_OPERATOR = inputField('email', 'Their address', 'email', {
  hint: 'They sign in with it, by a link that is mailed to them.',
  required: true,
});

export const newOperatorPage = (visit: Visit, form: RefusedForm): Page =>
  confirmPage(visit, {
    title: 'Add an operator',
    operatorAt: 'people',
    action: visit.site.to('/dashboard/operator/operators/new'),
    label: 'Make them an operator',
    isDangerous: true,
    back: { href: visit.site.to('/dashboard/operator/people'), label: 'Back' },
    children: (
      <>
        <p>
          An operator sees every shop with all its customers, can do everything in it, and can add more
          operators.
        </p>
        <FormFields fields={[NEW_OPERATOR]} form={form} />
      </>
    ),
  });
