import type { Connection } from '../../../connections/connections.ts';
import { isStoreKind, kindOf } from '../../../connections/kinds.ts';
import { Badge } from '../../kit/components.tsx';
import { BarLink } from '../../kit/page.tsx';
import type { ShopVisit } from '../context.ts';
import { STATUS_BADGES, titleOf } from './words.ts';

const PARTS = [
  { name: 'now', path: '', title: 'Now' },
  { name: 'statuses', path: '/statuses', title: 'Statuses' },
  { name: 'log', path: '/log', title: 'Log' },
  { name: 'setup', path: '/setup', title: 'Steps' },
  { name: 'settings', path: '/settings', title: 'Settings' },
] as const;
export type ConnectionPart = (typeof PARTS)[number]['name'];

export const connectionPath = (visit: ShopVisit, { id }: Pick<Connection, 'id'>, below = ''): string =>
  visit.to(`/connections/${id}${below}`);

/** The heading of every page of a connection, and the way to the others. */
export function connectionHead(visit: ShopVisit, connection: Connection, at: ConnectionPart) {
  const { name, kind, status } = connection;
  // A tracking service names no statuses of a store.
  const parts = PARTS.filter((part) => part.name !== 'statuses' || isStoreKind(kindOf(kind)));
  return (
    <header class="connection-head">
      <div class="title-row">
        <h1 dir="auto">{name}</h1>
        <nav class="choices" aria-label="Connection">
          {parts.map((part) => (
            <BarLink
              href={connectionPath(visit, connection, part.path)}
              label={part.title}
              isCurrent={part.name === at}
            />
          ))}
        </nav>
      </div>
      <p class="badges" id="connection-badges">
        <Badge {...STATUS_BADGES[status]} />
        <Badge tone="plain" text={titleOf(kind)} />
      </p>
    </header>
  );
}
