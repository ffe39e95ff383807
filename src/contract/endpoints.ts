import { ENDPOINT_DESCRIPTION_MAX, ENDPOINT_URL_MAX } from '../config/limits.ts';
import { eventTypes } from './eventTypes.ts';
import {
  Bool,
  Component,
  Formatted,
  Int,
  List,
  Nullable,
  Omittable,
  OneOf,
  Shape,
  Text,
  Timestamp,
  WithDefault,
} from './schema.ts';

export const EndpointParams = Shape({ public_id: Text('The endpoint’s id.') });

export const CreateEndpointBody = Component('CreateWebhookEndpoint', {
  url: Formatted('uri', {
    max: ENDPOINT_URL_MAX,
    description: 'HTTPS, at a public address. Redirects are never followed.',
  }),
  event_types: WithDefault(
    List(OneOf(eventTypes), 'Empty or omitted: every event, which is recommended.'),
    [],
  ),
  description: Omittable(Text({ max: ENDPOINT_DESCRIPTION_MAX }), 'For your own eyes.'),
});

export const EndpointView = Component('WebhookEndpoint', {
  id: Text(),
  url: Text(),
  description: Text('Empty if there is none.'),
  secret: Text('The signing secret: whole at creation, masked afterwards.'),
  event_types: List(Text()),
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
