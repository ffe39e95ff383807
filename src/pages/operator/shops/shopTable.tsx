import { shownNumber } from '../../dashboard/credits/words.ts';
import { Badge, ZonedTime } from '../../kit/components.tsx';
import { ListTable } from '../../kit/listTable.tsx';
import { PLAN_WORDS } from '../words.tsx';
import type { ShopLine } from './reads.ts';

interface ShopTableProps {
  path: string;
  caption: string;
  shops: readonly ShopLine[];
}

/** Shops, one line each. Only what is wrong is coloured. */
export const ShopTable = ({ path, caption, shops }: ShopTableProps) => (
  <ListTable
    caption={caption}
    rows={shops}
    columns={[
      {
        title: 'Shop',
        place: 'name',
        cell: ({ id, name }) => (
          <a href={`${path}/shops/${id}`} dir="auto">
            {name}
          </a>
        ),
      },
      { title: 'Needs attention', place: 'mark', cell: (shop) => <Warnings {...shop} /> },
      { title: 'State', place: 'wide', aside: true, cell: stateOf },
      {
        title: 'Messages, 30 days',
        place: 'under',
        aside: true,
        numeric: true,
        cell: ({ messages }) => (
          <>
            {shownNumber(messages)}
            <span class="unit">{messages === 1 ? ' message' : ' messages'}</span>
          </>
        ),
      },
      {
        title: 'Credits',
        place: 'wide',
        aside: true,
        numeric: true,
        cell: ({ spendable }) => shownNumber(spendable),
      },
      {
        title: 'Since',
        place: 'end',
        aside: true,
        cell: ({ createdAt }) => <ZonedTime at={createdAt} near />,
      },
    ]}
  />
);

/** As many as a line has room for. */
const WARNINGS_SHOWN = 2;

/** The most urgent warnings, and how many more there are. A deactivated shop sends nothing: nothing else about it is urgent. */
function Warnings({ active, warnings }: ShopLine) {
  if (!active || warnings.length === 0)
    return (
      <span class="badges">
        <Badge tone="plain" text={active ? 'Nothing to do' : 'Deactivated'} />
      </span>
    );
  const more = warnings.length - WARNINGS_SHOWN;
  return (
    <span class="badges">
      {warnings.slice(0, WARNINGS_SHOWN).map(({ tone, label, message }) => (
        <span class={`badge ${tone}`} title={message}>
          {label}
        </span>
      ))}
      {more > 0 && <span class="more">{`and ${more} more`}</span>}
    </span>
  );
}

function stateOf({ active, paused, plan }: ShopLine): string {
  if (!active) return 'Deactivated';
  if (paused) return 'Paused';
  return PLAN_WORDS[plan];
}
