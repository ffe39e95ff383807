import { SECRET_SWITCH_DEFAULT_MINUTES, SECRET_SWITCH_MAX_MINUTES } from '../config/limits.ts';
import { EndpointView } from './endpoints.ts';
import { eventTypes } from './eventTypes.ts';
import { pageParams } from './messages.ts';
import {
  DateTime,
  Int,
  List,
  Nullable,
  OneOf,
  Optional,
  Shape,
  Text,
  Timestamp,
  type ValueOf,
  WithDefault,
} from './schema.ts';

const deliveryStatuses = ['pending', 'delivered', 'exhausted', 'cancelled'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

export const DeliveriesQueryParams = Shape({
  status: Optional(OneOf(deliveryStatuses, { description: 'Only deliveries with this status.' })),
  ...pageParams,
});

export const ListedDelivery = Shape(
  {
    event_id: Text(),
    type: Text(),
    status: OneOf(deliveryStatuses, {
      description:
        '`exhausted`: every attempt failed. `cancelled`: it waited when the endpoint was disabled or deleted.',
    }),
    created_at: Timestamp(),
    next_attempt_at: Nullable(Timestamp(), { description: 'Null unless it is pending.' }),
    attempts: List(
      Shape(
        {
          at: Timestamp(),
          status_code: Nullable(Int()),
          error: Nullable(Text()),
          duration_ms: Int(),
        },
        { title: 'WebhookAttempt' },
      ),
      { description: 'Oldest first, also those from before a replay.' },
    ),
  },
  { title: 'WebhookDelivery' },
);
export type ListedDelivery = ValueOf<typeof ListedDelivery>;

export const DeliveryList = Shape(
  { items: List(ListedDelivery), next_cursor: Nullable(Text()) },
  { title: 'WebhookDeliveryList' },
);
export type DeliveryList = ValueOf<typeof DeliveryList>;

export const ReplayBody = Shape(
  {
    since: DateTime({ description: 'The events that occurred at this time or later.' }),
    until: Optional(Nullable(DateTime(), { description: 'And before this time. Null or omitted: now.' })),
    types: Optional(
      Nullable(List(OneOf(eventTypes), { min: 1 }), {
        description: 'Only these, of the types that the endpoint takes. Null or omitted: all of those.',
      }),
    ),
    only: WithDefault(
      OneOf(['undelivered', 'all'], {
        description: '`all` also sends what arrived before, and events from before the endpoint was created.',
      }),
      'undelivered',
    ),
  },
  { title: 'Replay' },
);

export const ReplayResult = Shape(
  { queued: Int({ description: 'Deliveries that were queued again.' }) },
  { title: 'ReplayResult' },
);

export const RotateBody = Shape(
  {
    switch_after_minutes: WithDefault(
      Int({
        min: 0,
        max: SECRET_SWITCH_MAX_MINUTES,
        description: 'Deliveries are signed with the old secret for so long. 0 is for a leak.',
      }),
      SECRET_SWITCH_DEFAULT_MINUTES,
    ),
  },
  { title: 'RotateSecret' },
);

export const RotatedEndpoint = Shape(
  {
    ...EndpointView.properties,
    secret_switches_at: Timestamp(),
  },
  { title: 'RotatedWebhookEndpoint' },
);
