import type { Call } from '../call.ts';
import type {
  ListedOrder,
  ListOrdersQuery,
  Order,
  Shipment,
  ShipmentFacts,
  TrackingEventReport,
  TrackingResult,
} from '../generated/api.ts';
import { Paged } from '../pages.ts';
import type { WaypostPromise } from '../response.ts';
import type { CallOptions, WriteOptions } from '../transport.ts';

/** Your orders, by your own order number: where each stands, and what its carriers report. */
export class Orders {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /** Orders, newest change first: `for await (const order of waypost.orders.list({ status: 'delayed' }))`. */
  list(query: ListOrdersQuery = {}, options?: CallOptions): Paged<ListedOrder> {
    return new Paged(
      (cursor) =>
        this.#call('listOrders', { operation: 'orders.list', query: { ...query, cursor }, options }),
      query.cursor,
    );
  }

  /** An order with its people, shipments and messages. */
  get(reference: string, options?: CallOptions): WaypostPromise<Order> {
    return this.#call('getOrder', { operation: 'orders.get', path: { reference }, options });
  }

  /**
   * Sets what is known of a shipment and sends nothing; a field left out becomes null. Setting the same twice is the same as
   * once, so the call is repeated like a read.
   */
  putShipment(
    reference: string,
    trackingNumber: string,
    facts: ShipmentFacts = {},
    options?: CallOptions,
  ): WaypostPromise<Shipment> {
    return this.#call('putShipment', {
      operation: 'orders.putShipment',
      path: { reference, tracking_number: trackingNumber },
      body: facts,
      options,
    });
  }

  /** Reports what a carrier says of a shipment. `nudged` says whether the customer hears of it, and `message_id` in which message. */
  reportTracking(
    reference: string,
    event: TrackingEventReport,
    options?: WriteOptions,
  ): WaypostPromise<TrackingResult> {
    return this.#call('reportTracking', {
      operation: 'orders.reportTracking',
      path: { reference },
      body: event,
      options,
    });
  }
}
