import type { OrderWord } from '../../../contract/orders.ts';
import { DEFAULT_LANGUAGE } from '../../../language/languages.ts';
import { wordsIn } from '../../../language/words.ts';
import { statusLabel } from '../../../nudges/orderStatus.ts';
import type { TrackedShipment, TrackingEvent } from '../../../orders/shipmentReadsSql.ts';
import {
  Badge,
  type BadgeTone,
  FactList,
  Panel,
  type TimelineStep,
  TimelineSteps,
} from '../../kit/components.tsx';

const TONES: Partial<Record<OrderWord, BadgeTone>> = {
  delivered: 'good',
  delivery_attempted: 'waiting',
  ready_for_pickup: 'waiting',
  available_for_pickup: 'waiting',
  delayed: 'waiting',
  exception: 'bad',
  returned: 'bad',
};

export const statusTone = (status: OrderWord): BadgeTone => TONES[status] ?? 'plain';

interface ShipmentsProps {
  shipments: readonly TrackedShipment[];
  now: Date;
}

/** The parcels of an order, in the order in which they were first named. */
export const ShipmentsPanel = ({ shipments, now }: ShipmentsProps) => (
  <Panel id="shipments" title={['Shipments ', <Badge tone="plain" text={String(shipments.length)} />]}>
    <ol class="rows">
      {shipments.map((shipment, place) => (
        <Shipment shipment={shipment} now={now} id={`shipment-${place + 1}`} />
      ))}
    </ol>
  </Panel>
);

interface ShipmentProps {
  shipment: TrackedShipment;
  now: Date;
  /** Unique on the page. */
  id: string;
}

function Shipment({ shipment, now, id }: ShipmentProps) {
  const { trackingNumber, carrier, trackingUrl, status, events } = shipment;
  const expected = expectedWords(shipment, now);
  const page = trackingUrl === null ? null : httpsUrl(trackingUrl);
  return (
    <li class="shipment">
      <div class="shipment-head">
        <h3>
          <bdi>{trackingNumber}</bdi>
        </h3>
        {status === null ? (
          <Badge tone="plain" text="No news yet" />
        ) : (
          <Badge tone={statusTone(status)} text={statusLabel(status)} />
        )}
      </div>
      <FactList
        facts={[
          ['Carrier', carrier === null ? 'Not named' : <bdi>{carrier}</bdi>],
          ...(expected === null ? [] : [['Expected', expected] as const]),
          ...(page === null ? [] : [['Tracking', followLink(page)] as const]),
        ]}
      />
      <FoldedSteps id={id} steps={events.map(eventStep)} />
    </li>
  );
}

/** Said also when it has passed: then the parcel is late. */
function expectedWords({ expectedOn: on, expectedUntil: until }: TrackedShipment, now: Date): string | null {
  return on === null ? null : wordsIn(DEFAULT_LANGUAGE).days(new Date(on), new Date(until ?? on), now);
}

/** The API takes no other; this page would not lead to one. */
function httpsUrl(text: string): URL | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url?.protocol === 'https:' ? url : null;
}

/** The host says where it leads, whatever the carrier is called. */
const followLink = ({ href, hostname }: URL) => (
  <a href={href} rel="noopener noreferrer nofollow">{`Follow it at ${hostname}`}</a>
);

/** What the carrier reported: what it wrote about it and where it was stand below. */
const eventStep = ({ status, at, description, location }: TrackingEvent): TimelineStep => ({
  tone: statusTone(status),
  text: statusLabel(status),
  at,
  more: (
    <>
      {location !== null && (
        <span class="hint">
          <bdi>{location}</bdi>
        </span>
      )}
      {description !== null && (
        <span class="story-words" dir="auto">
          {description}
        </span>
      )}
    </>
  ),
});

const STEPS_SHOWN = 3;

/** The newest steps, and the others folded. `id` is unique on the page: what was unfolded stays so when the page updates itself. */
export function FoldedSteps({ id, steps }: { id: string; steps: readonly TimelineStep[] }) {
  const earlier = steps.slice(STEPS_SHOWN);
  return (
    <>
      {steps.length > 0 && <TimelineSteps steps={steps.slice(0, STEPS_SHOWN)} />}
      {earlier.length > 0 && (
        <details id={`${id}-earlier`}>
          <summary id={`${id}-unfold`}>{`Earlier (${earlier.length})`}</summary>
          <TimelineSteps steps={earlier} />
        </details>
      )}
    </>
  );
}
