import type { ShipmentRow } from '../../orders/readsSql.ts';
import { Badge, ZonedTime } from '../kit/components.tsx';
import { addressInSandbox } from './location.ts';
import { DoButton } from './parts.tsx';
import type { Opened, SandboxPageProps } from './reads.ts';
import { expectedText, reportedNext, shipmentBadge } from './words.ts';

/** The shipments of the message's order: where each is, and a button for what its carrier reports next. */
export function Shipments({ site, place, opened }: SandboxPageProps & { opened: Opened }) {
  const { id, business_id, reference } = opened.message;
  return (
    <div class="shipments">
      <h3>The carrier reports</h3>
      <ul>
        {opened.shipments.map((shipment, at) => (
          <Shipment
            shipment={shipment}
            id={`carrier-${at + 1}`}
            action={addressInSandbox(site, '/sandbox/tracking', { ...place, open: id })}
            order={{ business_id, reference: reference ?? '' }}
          />
        ))}
      </ul>
    </div>
  );
}

interface ShipmentProps {
  shipment: ShipmentRow;
  id: string;
  action: string;
  order: { business_id: string; reference: string };
}

function Shipment({ shipment, id, action, order }: ShipmentProps) {
  const { tracking_number, carrier, status, status_at } = shipment;
  const next = status === null ? 'in_transit' : reportedNext[status];
  return (
    <li>
      <p class="facts">
        <strong>
          <bdi>{tracking_number}</bdi>
        </strong>
        <Badge {...shipmentBadge(status)} />
        {status_at !== null && <ZonedTime at={status_at} />}
        {carrier !== null && <bdi>{carrier}</bdi>}
        <span>{expectedText(shipment)}</span>
      </p>
      {next === null ? (
        <p class="hint">Nothing more comes after that.</p>
      ) : (
        <DoButton
          id={id}
          action={action}
          values={{ ...order, tracking_number, status: next }}
          label={`Next: ${next}`}
        />
      )}
    </li>
  );
}
