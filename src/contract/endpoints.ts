import {
  ENDPOINT_DESCRIPTION_MAX,
  ENDPOINT_URL_MAX,
  SECRET_SWITCH_DEFAULT_MINUTES,
  SECRET_SWITCH_MAX_MINUTES,
} from '../config/limits.ts';
import { eventTypes } from './eventTypes.ts';
import { pageParams } from './messages.ts';
import {
  Bool,
  Component,
  DateTime,
  Formatted,
  Int,
  KnownWord,
  List,
  Nullable,
  Omittable,
  OneOf,
  Optional,
  Shape,
  Text,
  Timestamp,
  type ValueOf,
  WithDefault,
} from './schema.ts';

export const EndpointParams = Shape({ public_id: Text('The endpoint’s id.') });

const EndpointUrl = Formatted('uri', {
  max: ENDPOINT_URL_MAX,
  description: 'HTTPS, at a public address. Redirects are never followed.',
});

export const CreateEndpointBody = Component('CreateWebhookEndpoint', {
  url: EndpointUrl,
  event_types: WithDefault(
    List(
      OneOf(eventTypes),
      'Empty or omitted: every event but `order.updated`, which must be named. Recommended.',
    ),
    [],
  ),
  description: Omittable(Text({ max: ENDPOINT_DESCRIPTION_MAX }), 'For your own eyes.'),
});

export const ChangeEndpointBody = Component('ChangeWebhookEndpoint', {
  url: Omittable(EndpointUrl, 'Where what is due goes from now on. Null or omitted: as before.'),
  event_types: Omittable(
    List(OneOf(eventTypes)),
    'Empty: every event but `order.updated`, which must be named. Null or omitted: as before.',
  ),
  enabled: Omittable(
    Bool(),
    'False cancels what waits. True lets it take events again, from now on: see the replay. Null or omitted: as before.',
  ),
});

export const EndpointView = Component('WebhookEndpoint', {
  id: Text(),
  url: Text(),
  description: Text('Empty if there is none.'),
  secret: Text('The signing secret: whole at creation, masked afterwards.'),
  event_types: List(KnownWord(eventTypes)),
  disabled: Bool('True after 20 events in a row could not be delivered.'),
  consecutive_failures: Int(),
  created_at: Timestamp(),
  last_success_at: Nullable(Timestamp()),
  last_error: Nullable(Text()),
});

export const EndpointList = Component('WebhookEndpointList', { items: List(EndpointView) });

export const TestResult = Component('WebhookTestResult', {
  delivered: Bool(),
  status_code: Nullable(Int()),
  error: Nullable(Text()),
  duration_ms: Int(),
});

const deliveryStatuses = ['pending', 'delivered', 'exhausted', 'cancelled'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

export const DeliveriesQueryParams = Shape({
  status: Optional(OneOf(deliveryStatuses, 'Only deliveries with this status.')),
  ...pageParams,
});

export const ListedDelivery = Component('WebhookDelivery', {
  event_id: Text(),
  type: KnownWord(eventTypes),
  status: OneOf(
    deliveryStatuses,
    '`exhausted`: every attempt failed. `cancelled`: it waited when the endpoint was disabled or deleted.',
  ),
  created_at: Timestamp(),
  next_attempt_at: Nullable(Timestamp(), 'Null unless it is pending.'),
  attempts: List(
    Component('WebhookAttempt', {
      at: Timestamp(),
      status_code: Nullable(Int()),
      error: Nullable(Text()),
      duration_ms: Int(),
    }),
    'Oldest first, also those from before a replay.',
  ),
});
export type ListedDelivery = ValueOf<typeof ListedDelivery>;

export const DeliveryList = Component('WebhookDeliveryList', {
  items: List(ListedDelivery),
  next_cursor: Nullable(Text()),
});
export type DeliveryList = ValueOf<typeof DeliveryList>;

export const ReplayBody = Component('Replay', {
  since: DateTime('The events that occurred at this time or later.'),
  until: Omittable(DateTime(), 'And before this time. Null or omitted: now.'),
  types: Omittable(
    List(OneOf(eventTypes), { min: 1 }),
    'Only these, of the types that the endpoint takes. Null or omitted: all of those.',
  ),
  only: WithDefault(
    OneOf(
      ['undelivered', 'all'],
      '`all` also sends what arrived before, and events from before the endpoint was created.',
    ),
    'undelivered',
  ),
});

export const ReplayResult = Component('ReplayResult', { queued: Int('Deliveries that were queued again.') });

export const RotateBody = Component('RotateSecret', {
  switch_after_minutes: WithDefault(
    Int({
      min: 0,
      max: SECRET_SWITCH_MAX_MINUTES,
      description: 'Deliveries are signed with the old secret for so long. 0 is for a leak.',
    }),
    SECRET_SWITCH_DEFAULT_MINUTES,
  ),
});

export const RotatedEndpoint = Component('RotatedWebhookEndpoint', {
  ...EndpointView.properties,
  secret_switches_at: Timestamp(),
});
