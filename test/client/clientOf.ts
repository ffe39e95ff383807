import { Waypost, type WaypostOptions } from '../../clients/typescript/src/index.ts';
import type { Shop } from '../support/shop.ts';

/** The client as a program of this shop would make it. */
export const clientOf = (
  shop: Pick<Shop, 'url' | 'apiKey'>,
  options: Partial<WaypostOptions> = {},
): Waypost => new Waypost({ baseUrl: shop.url, apiKey: shop.apiKey, ...options });
