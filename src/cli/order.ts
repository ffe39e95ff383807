import { REFERENCE_MAX } from '../config/limits.ts';
import type { ShipmentView } from '../contract/orders.ts';
import { OperatorError } from '../kit/errors.ts';
import { line } from '../kit/typedValues.ts';
import { viewOrder } from '../orders/reads.ts';
import { requireBusiness } from './businessView.ts';
import { argument, BUSINESS_ID, databaseCommand } from './command.ts';
import { facts, table } from './layout.ts';

const orderShow = databaseCommand({
  path: 'order show',
  about: 'Shows an order: status, people, shipments with their events, and messages',
  arguments: { ID: BUSINESS_ID, REFERENCE: argument('the shop’s own order number', line(REFERENCE_MAX)) },
  async run({ ID: businessId, REFERENCE: reference }, connection) {
    await requireBusiness(connection.pool, businessId);
    const order = await viewOrder(connection, businessId, reference);
    if (order === null) throw new OperatorError(`This business has no order "${reference}".`);
    const { recipients, shipments, messages, status, status_at } = order;
    const known = facts(
      Object.entries({ business_id: businessId, reference, status, status_at, recipients }),
    );
    const parts = [
      known,
      table(SHIPMENT_HEADING, shipments.map(shipmentCells), 'No shipments.'),
      ...(shipments.length > 0 ? [table(EVENT_HEADING, shipments.flatMap(eventCells), 'No events.')] : []),
      table(
        MESSAGE_HEADING,
        messages.map(({ id, created_at, status: state, order_status }) => [
          created_at,
          id,
          state,
          order_status,
        ]),
        'No messages.',
      ),
    ];
    return { json: { business_id: businessId, ...order }, text: parts.join('\n\n') };
  },
});

const SHIPMENT_HEADING = ['number', 'carrier', 'expected', 'until', 'status', 'at'];
const shipmentCells = (shipment: ShipmentView) => [
  shipment.tracking_number,
  shipment.carrier,
  shipment.expected_on,
  shipment.expected_until,
  shipment.status,
  shipment.status_at,
];

const EVENT_HEADING = ['at', 'number', 'status', 'location', 'description'];
const eventCells = ({ tracking_number, events }: ShipmentView) =>
  events.map(({ at, status, location, description }) => [at, tracking_number, status, location, description]);

const MESSAGE_HEADING = ['created', 'message', 'status', 'order status'];

export const orderCommands = [orderShow];
