import { aftership } from './aftership.ts';
import { easypost } from './easypost.ts';
import { karrio } from './karrio.ts';
import {
  CONNECTION_KINDS,
  type ConnectionKind,
  STORE_KINDS,
  type StoreKind,
  type StoreKindName,
  type TrackingKind,
  type TrackingKindName,
} from './kind.ts';
import { saleor } from './saleor.ts';
import { shippo } from './shippo.ts';
import { shopify } from './shopify.ts';
import { woocommerce } from './woocommerce.ts';

const STORES: Record<StoreKindName, StoreKind> = { woocommerce, shopify, saleor };
const TRACKING_SERVICES: Record<TrackingKindName, TrackingKind> = { aftership, easypost, shippo, karrio };
const KINDS = { ...STORES, ...TRACKING_SERVICES };

export const kindOf = (name: ConnectionKind): StoreKind | TrackingKind => KINDS[name];
export const storeKind = (name: StoreKindName): StoreKind => STORES[name];

export const isStoreKind = (kind: StoreKind | TrackingKind): kind is StoreKind =>
  STORE_KINDS.some((name) => name === kind.name);

export const knownKind = (text: string): ConnectionKind | null =>
  CONNECTION_KINDS.find((name) => name === text) ?? null;
