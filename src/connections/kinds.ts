import { aftership } from './kinds/aftership.ts';
import { easypost } from './kinds/easypost.ts';
import { karrio } from './kinds/karrio.ts';
import {
  CONNECTION_KINDS,
  type ConnectionKind,
  STORE_KINDS,
  type StoreKind,
  type StoreKindName,
  type TrackingKind,
  type TrackingKindName,
} from './kinds/kind.ts';
import { saleor } from './kinds/saleor.ts';
import { shippo } from './kinds/shippo.ts';
import { shopify } from './kinds/shopify.ts';
import { woocommerce } from './kinds/woocommerce.ts';

const STORES: Record<StoreKindName, StoreKind> = { woocommerce, shopify, saleor };
const TRACKING_SERVICES: Record<TrackingKindName, TrackingKind> = { aftership, easypost, shippo, karrio };
const KINDS = { ...STORES, ...TRACKING_SERVICES };

export const kindOf = (name: ConnectionKind): StoreKind | TrackingKind => KINDS[name];
export const storeKind = (name: StoreKindName): StoreKind => STORES[name];

export const isStoreKind = (kind: StoreKind | TrackingKind): kind is StoreKind =>
  STORE_KINDS.some((name) => name === kind.name);

export const knownKind = (text: string): ConnectionKind | null =>
  CONNECTION_KINDS.find((name) => name === text) ?? null;
