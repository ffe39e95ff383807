import { ENDPOINT_DESCRIPTION_MAX, ENDPOINT_URL_MAX } from '../config/limits.ts';
import { eventTypes } from './eventTypes.ts';
import {
  Bool,
  Formatted,
  Int,
  List,
  Nullable,
  OneOf,
  Optional,
  Shape,
  Text,
  Timestamp,
  WithDefault,
} from './schema.ts';

export const EndpointParams = Shape({ public_id: Text({ description: 'The endpoint’s id.' }) });

export const CreateEndpointBody = Shape(
  {
    url: Formatted('uri', {
      max: ENDPOINT_URL_MAX,
      description: 'HTTPS, at a public address. Redirects are never followed.',
    }),
    event_types: WithDefault(
      List(OneOf(eventTypes), { description: 'Empty or omitted: every event, which is recommended.' }),
      [],
    ),
    description: Optional(
      Nullable(Text({ max: ENDPOINT_DESCRIPTION_MAX }), { description: 'For your own eyes.' }),
    ),
  },
  { title: 'CreateWebhookEndpoint' },
);

export const EndpointView = Shape(
  {
    id: Text(),
    url: Text(),
    description: Text({ description: 'Empty if there is none.' }),
    secret: Text({ description: 'The signing secret: whole at creation, masked afterwards.' }),
    event_types: List(Text()),
    disabled: Bool({ description: 'True after 20 events in a row could not be delivered.' }),
    consecutive_failures: Int(),
    created_at: Timestamp(),
    last_success_at: Nullable(Timestamp()),
    last_error: Nullable(Text()),
  },
  { title: 'WebhookEndpoint' },
);

export const EndpointList = Shape({ items: List(EndpointView) }, { title: 'WebhookEndpointList' });

export const TestResult = Shape(
  {
    delivered: Bool(),
    status_code: Nullable(Int()),
    error: Nullable(Text()),
    duration_ms: Int(),
  },
  { title: 'WebhookTestResult' },
);
