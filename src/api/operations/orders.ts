import {
  OrderList,
  OrderListQuery,
  OrderParams,
  OrderView,
  ShipmentParams,
  ShipmentView,
} from '../../contract/orders.ts';
import { ShipmentBody } from '../../contract/shipments.ts';
import { putShipment } from '../../orders/putShipment.ts';
import { listOrders, orderCursors, viewOrder } from '../../orders/reads.ts';
import { shipmentFrom } from '../../orders/shipment.ts';
import { found, json, type OperationDeps, operation } from '../operation.ts';
import { cursorFormat } from '../validation/strings.ts';
import { orderExamples } from './orderExamples.ts';

export const orderOperations = (deps: OperationDeps) => [list(deps), getOne(deps), replaceShipment(deps)];

const list = (deps: OperationDeps) =>
  operation({
    id: 'listOrders',
    method: 'GET',
    path: '/api/v1/orders',
    access: ['send', 'read'],
    tag: 'Orders',
    summary: 'List orders',
    description:
      'Newest change first. An order exists as soon as a message, a shipment or a tracking event names it. To follow changes, ask ' +
      'each time for those after a minute before the newest `updated_at` that you know.',
    query: OrderListQuery,
    formats: { cursor: cursorFormat(orderCursors.idIn) },
    success: { status: 200, shape: OrderList, description: 'A page of orders.' },
    examples: { response: orderExamples.list },
    handle: async ({ caller, query }) => {
      const {
        status = null,
        recipient_email: recipientEmail = null,
        updated_after: updatedAfter = null,
      } = query;
      const { limit = null, cursor: before = null } = query;
      const filters = { status, recipientEmail, updatedAfter };
      return json(200, await listOrders(deps, caller.businessId, { ...filters, limit, before }));
    },
  });

const getOne = (deps: OperationDeps) =>
  operation({
    id: 'getOrder',
    method: 'GET',
    path: '/api/v1/orders/{reference}',
    access: ['send', 'read'],
    tag: 'Orders',
    summary: 'Read an order with its shipments and messages',
    description:
      'By your own order number, percent-encoded. Its status is the latest word of its messages and tracking events, by time.',
    params: OrderParams,
    success: { status: 200, shape: OrderView, description: 'The order.' },
    errors: ['order.not_found'],
    examples: { response: orderExamples.order },
    handle: async ({ caller, params }) =>
      json(200, found(await viewOrder(deps, caller.businessId, params.reference), 'order.not_found')),
  });

const replaceShipment = (deps: OperationDeps) =>
  operation({
    id: 'putShipment',
    method: 'PUT',
    path: '/api/v1/orders/{reference}/shipments/{tracking_number}',
    access: ['send'],
    tag: 'Orders',
    summary: 'Set what is known of a shipment',
    description:
      'Replaces carrier, tracking URL and expected days; a field left out becomes null. A number that the order does not have yet ' +
      'is a new shipment. Sends nothing: push to tell the customer.',
    params: ShipmentParams,
    body: ShipmentBody,
    success: { status: 200, shape: ShipmentView, description: 'The shipment.' },
    errors: ['request.conflict'],
    examples: { request: orderExamples.facts, response: orderExamples.shipment },
    handle: async ({ caller, params, body }) => {
      const facts = shipmentFrom(params.tracking_number, body);
      const shipment = await putShipment(deps, caller.businessId, params.reference, facts);
      return json(200, found(shipment, 'order.not_found'));
    },
  });
