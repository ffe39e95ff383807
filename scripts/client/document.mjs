import { openApiDocument } from '../../src/api/openapi.ts';
import { deliveryOperations } from '../../src/api/operations/deliveries.ts';
import { endpointOperations } from '../../src/api/operations/endpoints.ts';
import { erasureOperations } from '../../src/api/operations/erasure.ts';
import { eventOperations } from '../../src/api/operations/events.ts';
import { keyOperations } from '../../src/api/operations/keys.ts';
import { messageOperations } from '../../src/api/operations/messages.ts';
import { orderOperations } from '../../src/api/operations/orders.ts';
import { pushOperations } from '../../src/api/operations/push.ts';
import { recipientOperations } from '../../src/api/operations/recipients.ts';
import { textOperations } from '../../src/api/operations/texts.ts';
import { trackingOperations } from '../../src/api/operations/tracking.ts';
import { usageOperations } from '../../src/api/operations/usage.ts';

/** Stands in for everything that a handler would use; no handler runs here. */
const unused = new Proxy(() => {}, {
  get: (_, name) => (name === Symbol.toPrimitive ? () => 0 : unused),
  apply: () => unused,
});

/** The operations are data: what describes them needs neither a database nor a server. */
const operations = [
  pushOperations,
  messageOperations,
  orderOperations,
  trackingOperations,
  textOperations,
  usageOperations,
  keyOperations,
  recipientOperations,
  erasureOperations,
  endpointOperations,
  deliveryOperations,
  eventOperations,
].flatMap((operationsOf) => operationsOf(unused));

/** The OpenAPI document. A test compares it with the one that a server serves. */
export const apiDocument = JSON.parse(JSON.stringify(openApiDocument(operations, 'http://localhost:8080')));
