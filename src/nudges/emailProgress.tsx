import type { OrderStatus } from '../contract/orderStatuses.ts';
import type { Words } from '../language/words.ts';
import { type Progress, progressOf, stepOf } from '../orders/progress.ts';
import type { KnownShipment } from '../orders/shipmentReadsSql.ts';
import { FONT, Table } from './emailParts.tsx';
import { STATUS_NAMES } from './orderStatus.ts';

/** What the message and the parcels beside it tell of the order; null: no more than the message's own words say. */
export function mailedProgress(
  status: OrderStatus | null,
  shipments: readonly KnownShipment[],
): Progress | null {
  if (status === null) return null;
  const told = shipments.flatMap((shipment) => (shipment.status === null ? [] : [stepOf(shipment.status)]));
  const progress = progressOf([status, ...told]);
  return progress === null || progress.steps.length < 2 ? null : progress;
}

/** One line; what the order has passed has a mark. */
export const progressAsText = (words: Words, { steps }: Progress): string =>
  steps.map((step) => nameOf(words, step)).join(' · ');

const nameOf = (words: Words, { status, reached }: Progress['steps'][number]): string =>
  `${reached ? '✓ ' : ''}${words.text(STATUS_NAMES[status])}`;

interface ProgressBarProps {
  words: Words;
  progress: Progress;
  fill: string;
}

/** A bar, and the same line below it: colours alone would not tell everybody. */
export function ProgressBar({ words, progress: { status: current, steps }, fill }: ProgressBarProps) {
  const colour = current === 'cancelled' || current === 'returned' ? '#868f9c' : fill;
  return (
    <>
      <Table width="100%" style="margin:0 0 8px">
        <tr>
          {steps.map(({ reached }, at) => (
            <>
              {at > 0 && <td width="4" style="width:4px;font-size:0;line-height:0" />}
              <td
                class={reached ? undefined : 'ahead'}
                style={`height:6px;border-radius:3px;font-size:0;line-height:0;background-color:${reached ? colour : '#dfe3e8'}`}
              >
                {'\u00A0'}
              </td>
            </>
          ))}
        </tr>
      </Table>
      <p class="faint" style={`margin:0 0 24px;${FONT};font-size:14px;line-height:1.6;color:#5a6473`}>
        {steps.map(({ status, reached }, at) => (
          <>
            {at > 0 && '\u00A0· '}
            <span
              class={reached ? 'strong' : undefined}
              style={`white-space:nowrap${reached ? ';color:#14171c' : ''}${status === current ? ';font-weight:600' : ''}`}
            >
              {nameOf(words, { status, reached })}
            </span>
          </>
        ))}
      </p>
    </>
  );
}
