import type { TrackingStatus } from '../contract/orders.ts';

/** What a store's call says of an order. */
export interface OrderFacts {
  /** The store's own id. */
  storeOrder: string;
  /** Null: the call names the order and says nothing of it. */
  order: StoreOrder | null;
  shipments: readonly StoreShipment[];
  events: readonly ShipmentEvent[];
  /** Amounts that went back to the person. */
  refunds: readonly Refund[];
}

export interface StoreOrder {
  /** As the person knows it: the reference of its messages. */
  number: string;
  /** Of this state; null: the store does not say. */
  modifiedAt: Date | null;
  createdAt: Date | null;
  isTest: boolean;
  email: string | null;
  /** As the store has it, with the country that completes it. */
  phone: { text: string; country: string | null } | null;
  /** The store's own consent field says that the number may be texted. */
  permitsTexts: boolean;
  firstName: string;
  /** As the store writes it; null: it does not say. */
  language: string | null;
  /** The order's page in the store. */
  url: string | null;
  items: readonly { name: string; quantity: number }[];
  /** All that is true of the order now, oldest first. */
  statuses: readonly StatusState[];
  /** What the order cost, in hundredths; null: the store does not say. Refunds that add up to it tell `refunded`. */
  total: number | null;
}

export interface StatusState {
  /** The store's own word. */
  status: string;
  /** Since when; null: the store does not say. */
  at: Date | null;
}

export interface StoreShipment {
  /** The store's own id, or what stands for it. */
  id: string;
  /** The store's own word, of its kind's table. */
  status: string;
  at: Date | null;
  modifiedAt: Date | null;
  /** The store asks that the person is not told. */
  isQuiet: boolean;
  parcels: readonly Parcel[];
  /** What of its parcels was left out, for the log. */
  leftOut?: readonly LeftOut[];
}

export const LEFT_OUT = ['bad_tracking_number', 'bad_tracking_url'] as const;
export type LeftOut = (typeof LEFT_OUT)[number];

export interface Parcel {
  trackingNumber: string;
  carrier: string | null;
  trackingUrl: string | null;
}

/** What the store's carrier reports of a shipment. */
export interface ShipmentEvent {
  shipmentId: string;
  status: TrackingStatus;
  at: Date;
  description: string | null;
  location: string | null;
}

export interface Refund {
  id: string;
  /** In hundredths. */
  amount: number;
}

/** What a tracking service's call says of a parcel: its whole history. */
export interface CarrierFacts {
  trackingNumber: string;
  /** Oldest first. Only the last can nudge. */
  events: readonly Omit<ShipmentEvent, 'shipmentId'>[];
}
