import { at, listAt, textAt } from '../../src/kit/json.ts';
import { ADMIN } from './medusaStore.ts';

export interface PlacedOrder {
  id: string;
  cartId: string;
  number: string;
  items: { id: string; quantity: number }[];
}

export interface NewOrder {
  email: string;
  locale?: string;
  phone?: string;
  metadata?: Record<string, unknown>;
}

/** A shop in Medusa, and what its customers and staff do there over HTTP. */
export class MedusaShop {
  readonly #url: string;
  #token = '';
  #publishableKey = '';
  #region = '';
  #variant = '';
  #location = '';
  #channel = '';

  private constructor(url: string) {
    this.#url = url;
  }

  /** With one product and one way of shipping. */
  static async open(url: string): Promise<MedusaShop> {
    const shop = new MedusaShop(url);
    shop.#token = idIn(await shop.call('POST', '/auth/user/emailpass', ADMIN), 'token');
    const keys = await shop.call('GET', '/admin/api-keys?type=publishable');
    shop.#publishableKey = idIn(keys, 'api_keys', 0, 'token');
    shop.#channel = idIn(await shop.call('GET', '/admin/sales-channels'), 'sales_channels', 0, 'id');
    const region = await shop.call('POST', '/admin/regions', {
      name: 'Estonia',
      currency_code: 'eur',
      countries: ['ee'],
      payment_providers: ['pp_system_default'],
    });
    shop.#region = idIn(region, 'region', 'id');
    const profile = await shop.#shipping();
    const product = await shop.call('POST', '/admin/products', {
      title: 'Scarf',
      status: 'published',
      shipping_profile_id: profile,
      options: [{ title: 'Size', values: ['M'] }],
      variants: [
        {
          title: 'M',
          manage_inventory: false,
          options: { Size: 'M' },
          prices: [{ currency_code: 'eur', amount: 20 }],
        },
      ],
      sales_channels: [{ id: shop.#channel }],
    });
    shop.#variant = idIn(product, 'product', 'variants', 0, 'id');
    return shop;
  }

  async #shipping(): Promise<string> {
    const location = await this.call('POST', '/admin/stock-locations', { name: 'Warehouse' });
    this.#location = idIn(location, 'stock_location', 'id');
    const of = `/admin/stock-locations/${this.#location}`;
    await this.call('POST', `${of}/fulfillment-providers`, { add: ['manual_manual'] });
    await this.call('POST', `${of}/sales-channels`, { add: [this.#channel] });
    const sets = await this.call('POST', `${of}/fulfillment-sets?fields=*fulfillment_sets`, {
      name: 'Parcels',
      type: 'shipping',
    });
    const set = idIn(sets, 'stock_location', 'fulfillment_sets', 0, 'id');
    const zones = await this.call('POST', `/admin/fulfillment-sets/${set}/service-zones`, {
      name: 'Estonia',
      geo_zones: [{ type: 'country', country_code: 'ee' }],
    });
    const profiles = await this.call('GET', '/admin/shipping-profiles');
    const profile =
      textAt(profiles, 'shipping_profiles', 0, 'id') ??
      idIn(
        await this.call('POST', '/admin/shipping-profiles', { name: 'Default', type: 'default' }),
        ...['shipping_profile', 'id'],
      );
    await this.call('POST', '/admin/shipping-options', {
      name: 'Parcel machine',
      service_zone_id: idIn(zones, 'fulfillment_set', 'service_zones', 0, 'id'),
      shipping_profile_id: profile,
      provider_id: 'manual_manual',
      price_type: 'flat',
      type: { label: 'Standard', description: 'Two days', code: 'standard' },
      prices: [{ currency_code: 'eur', amount: 5 }],
      rules: [],
    });
    return profile;
  }

  /** A customer buys two scarves. */
  async placeOrder({ email, locale, phone, metadata }: NewOrder): Promise<PlacedOrder> {
    const made = await this.call('POST', '/store/carts', {
      region_id: this.#region,
      email,
      locale,
      metadata,
    });
    const cartId = idIn(made, 'cart', 'id');
    const cart = `/store/carts/${cartId}`;
    await this.call('POST', `${cart}/line-items`, { variant_id: this.#variant, quantity: 2 });
    const address = {
      ...{ first_name: 'Mari', last_name: 'Maasikas', address_1: 'Pikk 1', city: 'Tallinn' },
      ...{ postal_code: '10123', country_code: 'ee', phone },
    };
    await this.call('POST', cart, { email, shipping_address: address, billing_address: address });
    const ways = await this.call('GET', `/store/shipping-options?cart_id=${cartId}`);
    await this.call('POST', `${cart}/shipping-methods`, {
      option_id: idIn(ways, 'shipping_options', 0, 'id'),
    });
    const payment = await this.call('POST', '/store/payment-collections', { cart_id: cartId });
    const collection = idIn(payment, 'payment_collection', 'id');
    const session = { provider_id: 'pp_system_default' };
    await this.call('POST', `/store/payment-collections/${collection}/payment-sessions`, session);
    const placed = await this.completeCart(cartId);
    return {
      id: idIn(placed, 'order', 'id'),
      cartId,
      number: `#${idIn(placed, 'order', 'display_id')}`,
      items: listAt(placed, 'order', 'items').map((item) => ({ id: idIn(item, 'id'), quantity: 2 })),
    };
  }

  /** Staff takes an order by telephone. */
  async placeDraftOrder(email: string, { isQuiet }: { isQuiet: boolean }): Promise<void> {
    const draft = await this.call('POST', '/admin/draft-orders', {
      email,
      region_id: this.#region,
      sales_channel_id: this.#channel,
      items: [{ variant_id: this.#variant, quantity: 1 }],
      no_notification_order: isQuiet,
    });
    await this.call('POST', `/admin/draft-orders/${idIn(draft, 'draft_order', 'id')}/convert-to-order`);
  }

  completeCart(cartId: string): Promise<unknown> {
    return this.call('POST', `/store/carts/${cartId}/complete`);
  }

  /** Staff packs it, and hands it to the carrier. Answers the fulfilment. */
  async ship(
    order: PlacedOrder,
    trackingNumbers: readonly string[],
    { isQuiet = false, quantity = 2 }: { isQuiet?: boolean; quantity?: number } = {},
  ): Promise<string> {
    const items = order.items.map(({ id }) => ({ id, quantity }));
    const of = `/admin/orders/${order.id}/fulfillments`;
    const packed = await this.call('POST', `${of}?fields=*fulfillments`, {
      items,
      location_id: this.#location,
      no_notification: isQuiet,
    });
    const fulfilments = listAt(packed, 'order', 'fulfillments').filter(
      (one) => at(one, 'shipped_at') === null,
    );
    const fulfilment = idIn(fulfilments, 0, 'id');
    const labels = trackingNumbers.map((number) => ({
      tracking_number: number,
      tracking_url: `https://carrier.example/${number}`,
      label_url: '#',
    }));
    await this.call('POST', `${of}/${fulfilment}/shipments`, { items, labels, no_notification: isQuiet });
    return fulfilment;
  }

  deliver({ id }: PlacedOrder, fulfilment: string): Promise<unknown> {
    return this.call('POST', `/admin/orders/${id}/fulfillments/${fulfilment}/mark-as-delivered`);
  }

  cancel({ id }: PlacedOrder): Promise<unknown> {
    return this.call('POST', `/admin/orders/${id}/cancel`);
  }

  async capture({ id }: PlacedOrder): Promise<string> {
    const order = await this.call('GET', `/admin/orders/${id}?fields=*payment_collections.payments`);
    const payment = idIn(order, 'order', 'payment_collections', 0, 'payments', 0, 'id');
    await this.call('POST', `/admin/payments/${payment}/capture`, {});
    return payment;
  }

  refund(payment: string, amount: number): Promise<unknown> {
    return this.call('POST', `/admin/payments/${payment}/refund`, { amount });
  }

  /** The body that it answers, null if there is none. Throws for anything but a success. */
  async call(method: string, path: string, body?: object): Promise<unknown> {
    const response = await fetch(this.#url + path, {
      method,
      headers: {
        'content-type': 'application/json',
        'x-publishable-api-key': this.#publishableKey,
        ...(this.#token !== '' && !path.startsWith('/store') && { authorization: `Bearer ${this.#token}` }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
    return text === '' ? null : JSON.parse(text);
  }
}

function idIn(value: unknown, ...path: readonly (string | number)[]): string {
  const found = textAt(value, ...path);
  if (found === null) throw new Error(`nothing at ${path.join('.')} of ${JSON.stringify(value)}`);
  return found;
}
