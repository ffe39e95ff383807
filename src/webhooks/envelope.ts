import { canonicalJson, type Json } from './canonicalJson.ts';

/** A stored event, as it is read for a delivery. */
export interface StoredEvent {
  id: string;
  type: string;
  occurred_at: Date;
  data: Json;
}

/** The body of a delivery: exactly four fields, sorted keys at every depth, no white space (interface 6.1). */
export const envelope = ({ id, type, occurred_at, data }: StoredEvent): string =>
  canonicalJson({ id, type, occurred_at: occurred_at.toISOString(), data });
