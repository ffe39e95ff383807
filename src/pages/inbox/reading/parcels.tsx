import type { Words } from '../../../language/words.ts';
import { STATUS_NAMES } from '../../../nudges/orderStatus.ts';
import { expectedDays } from '../../../nudges/parcel.ts';
import type { TrackedShipment, TrackingEvent } from '../../../orders/shipmentReadsSql.ts';
import { Moment } from './message.tsx';

interface ParcelProps {
  words: Words;
  shipment: TrackedShipment;
  now: Date;
  /** Unique on the page. */
  id: string;
  /** Which of several it is; null: the only one. */
  place: string | null;
}

/** When it comes, where it is, and a button to follow it; what it passed before is folded. */
function Parcel({ words, shipment, now, id, place }: ParcelProps) {
  const { carrier, trackingNumber, trackingUrl, events } = shipment;
  const [latest, ...earlier] = events;
  const days = expectedDays(words, shipment, now);
  return (
    <li class="parcel">
      {place !== null && <p class="hint">{place}</p>}
      {(days !== null || latest !== undefined) && (
        <dl class="answers">
          {days !== null && (
            <div>
              <dt>{words.text('shipment.expected')}</dt>
              <dd>{days}</dd>
            </div>
          )}
          {latest !== undefined && (
            <div>
              <dt>{words.text('shipment.latest')}</dt>
              <Latest words={words} event={latest} />
            </div>
          )}
        </dl>
      )}
      {trackingUrl !== null && (
        <a class="button follow" href={trackingUrl} rel="noopener noreferrer nofollow" target="_blank">
          {words.text('shipment.follow')}
        </a>
      )}
      <dl class="labels">
        {carrier !== null && (
          <div>
            <dt>{words.text('shipment.carrier')}</dt>
            <dd>
              <bdi>{carrier}</bdi>
            </dd>
          </div>
        )}
        <div>
          <dt>{words.text('shipment.number')}</dt>
          <dd>
            <bdi>{trackingNumber}</bdi>
          </dd>
        </div>
      </dl>
      {earlier.length > 0 && (
        <details class="history" id={`${id}-history`}>
          <summary>{words.fill('shipment.earlier', { count: String(earlier.length) })}</summary>
          <ol aria-label={words.text('shipment.history')}>
            {earlier.map((event) => (
              <Passed words={words} event={event} />
            ))}
          </ol>
        </details>
      )}
    </li>
  );
}

interface ParcelsProps {
  words: Words;
  shipments: readonly TrackedShipment[];
  now: Date;
  /** Unique on the page. */
  id: string;
}

export function Parcels({ words, shipments, now, id }: ParcelsProps) {
  const total = shipments.length;
  const placeOf = (at: number) =>
    total === 1 ? null : words.fill('shipment.parcel', { ordinal: String(at + 1), total: String(total) });
  return (
    <ol class="parcels">
      {shipments.map((shipment, at) => (
        <Parcel words={words} shipment={shipment} now={now} id={`${id}-${at + 1}`} place={placeOf(at)} />
      ))}
    </ol>
  );
}

interface EventProps {
  words: Words;
  event: TrackingEvent;
}

/** The place if it is known, since the status stands above; what the carrier wrote about it below. */
const Latest = ({ words, event: { at, status, location, description } }: EventProps) => (
  <dd>
    <bdi>{location ?? words.text(STATUS_NAMES[status])}</bdi>
    <small>
      {location !== null && <span>{words.text(STATUS_NAMES[status])}</span>}
      <Moment words={words} at={at} />
    </small>
    {description !== null && (
      <small>
        <bdi>{description}</bdi>
      </small>
    )}
  </dd>
);

const Passed = ({ words, event: { at, status, location, description } }: EventProps) => (
  <li>
    <strong>{words.text(STATUS_NAMES[status])}</strong>
    <small>
      {location !== null && <bdi>{location}</bdi>}
      <Moment words={words} at={at} />
    </small>
    {description !== null && (
      <small>
        <bdi>{description}</bdi>
      </small>
    )}
  </li>
);
