import { AbstractNotificationProviderService } from '@medusajs/framework/utils';
import { Waypost } from '@waypost/client';
import { pushOfNotification } from '../../notification.ts';
import { type ProviderOptions, providerOptions } from '../../options.ts';

/** A workflow waits for its notification, and a person perhaps for the workflow. Medusa keeps what failed, to be sent again. */
const DEADLINE_MS = 20_000;

export class WaypostNotificationProvider extends AbstractNotificationProviderService {
  static identifier = 'waypost';
  readonly #options: ProviderOptions;
  readonly #waypost: Waypost;

  static validateOptions(options: unknown): void {
    providerOptions(options);
  }

  constructor(_dependencies: unknown, options: unknown) {
    super();
    this.#options = providerOptions(options);
    const { apiKey, baseUrl } = this.#options;
    this.#waypost = new Waypost({ apiKey, baseUrl, deadlineMs: DEADLINE_MS });
  }

  override async send(notification: unknown): Promise<{ id: string }> {
    const { push, idempotencyKey } = pushOfNotification(notification, this.#options);
    const { id } = await this.#waypost.messages.push(push, { idempotencyKey });
    return { id };
  }
}
