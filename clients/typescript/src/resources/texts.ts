import type { Call } from '../call.ts';
import type { OrderText, OrderTextList, OrderTextSource } from '../generated/api.ts';
import type { WaypostPromise } from '../response.ts';
import type { CallOptions } from '../transport.ts';

/** The words of the messages that Waypost writes itself, by order status and language. */
export class Texts {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /** All of them: yours, and ours where `is_default` is true. */
  list(options?: CallOptions): WaypostPromise<OrderTextList> {
    return this.#call('listTexts', { operation: 'texts.list', options });
  }

  /** Sets a text, in Liquid. Setting the same one twice is the same as once, so the call is repeated like a read. */
  set(
    orderStatus: string,
    language: string,
    text: OrderTextSource,
    options?: CallOptions,
  ): WaypostPromise<OrderText> {
    return this.#call('setText', {
      operation: 'texts.set',
      path: { order_status: orderStatus, language },
      body: text,
      options,
    });
  }

  /** Returns to our text, also where none was set. */
  reset(orderStatus: string, language: string, options?: CallOptions): WaypostPromise<OrderText> {
    const path = { order_status: orderStatus, language };
    return this.#call('resetText', { operation: 'texts.reset', path, options });
  }
}
