import type { Call } from '../call.ts';
import type {
  ChangeWebhookEndpoint,
  CreateWebhookEndpoint,
  ListWebhookDeliveriesQuery,
  Replay,
  ReplayResult,
  RotatedWebhookEndpoint,
  RotateSecret,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookEndpointList,
  WebhookTestResult,
} from '../generated/api.ts';
import { Paged } from '../pages.ts';
import type { WaypostPromise } from '../response.ts';
import type { CallOptions, WriteOptions } from '../transport.ts';

/** The addresses that webhooks go to. */
export class WebhookEndpoints {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /** Every endpoint, newest first, with its secret masked. */
  list(options?: CallOptions): WaypostPromise<WebhookEndpointList> {
    return this.#call('listWebhookEndpoints', { operation: 'webhookEndpoints.list', options });
  }

  /**
   * Creates an endpoint. Only this answer has its whole secret. The server knows no idempotency key here, so the call is
   * repeated only if it certainly had no effect: after a 429, or if no connection was made. After any other failure, list
   * the endpoints.
   */
  create(endpoint: CreateWebhookEndpoint, options?: CallOptions): WaypostPromise<WebhookEndpoint> {
    return this.#call('createWebhookEndpoint', {
      operation: 'webhookEndpoints.create',
      body: endpoint,
      options,
      repeat: 'if_untouched',
    });
  }

  /** Changes what is named of an endpoint: its URL, its event types, whether it is enabled. */
  update(id: string, changes: ChangeWebhookEndpoint, options?: CallOptions): WaypostPromise<WebhookEndpoint> {
    return this.#call('changeWebhookEndpoint', {
      operation: 'webhookEndpoints.update',
      path: { public_id: id },
      body: changes,
      options,
    });
  }

  /** Deletes an endpoint. Resolves also if an attempt without an answer had deleted it. */
  delete(id: string, options?: CallOptions): WaypostPromise<void> {
    const path = { public_id: id };
    return this.#call('deleteWebhookEndpoint', {
      operation: 'webhookEndpoints.delete',
      path,
      options,
      deletes: true,
    });
  }

  /**
   * Sends a ping; `delivered` says whether it arrived. Repeated only if it certainly had no effect, as `create`: else there
   * would be two pings.
   */
  test(id: string, options?: CallOptions): WaypostPromise<WebhookTestResult> {
    return this.#call('testWebhookEndpoint', {
      operation: 'webhookEndpoints.test',
      path: { public_id: id },
      options,
      repeat: 'if_untouched',
    });
  }

  /** What was sent to an endpoint, newest first, with every attempt. */
  deliveries(
    id: string,
    query: ListWebhookDeliveriesQuery = {},
    options?: CallOptions,
  ): Paged<WebhookDelivery> {
    return new Paged(
      (cursor) =>
        this.#call('listWebhookDeliveries', {
          operation: 'webhookEndpoints.deliveries',
          path: { public_id: id },
          query: { ...query, cursor },
          options,
        }),
      query.cursor,
    );
  }

  /** Sends the events of a period again: those that did not arrive, or all. */
  replay(id: string, replay: Replay, options?: WriteOptions): WaypostPromise<ReplayResult> {
    const path = { public_id: id };
    return this.#call('replayWebhookDeliveries', {
      operation: 'webhookEndpoints.replay',
      path,
      body: replay,
      options,
    });
  }

  /** Gives an endpoint a new secret. Only the first answer has the whole of it. */
  rotateSecret(
    id: string,
    rotation: RotateSecret = {},
    options?: WriteOptions,
  ): WaypostPromise<RotatedWebhookEndpoint> {
    const path = { public_id: id };
    return this.#call('rotateWebhookSecret', {
      operation: 'webhookEndpoints.rotateSecret',
      path,
      body: rotation,
      options,
    });
  }
}
