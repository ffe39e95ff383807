import type { Proof, RawCall, StoredCall, TrackingKind } from '../../src/connections/kinds/kind.ts';

/* What the tests of the tracking services share. */

export const RECEIVED_AT = new Date('2026-03-10T12:00:00Z');

interface RawParts {
  body: string | Buffer;
  headers?: Record<string, string>;
  query?: string;
}

export const rawCall = ({ body, headers = {}, query = '' }: RawParts): RawCall => ({
  header: (name) => headers[name],
  query: new URLSearchParams(query),
  body: Buffer.from(body),
});

export const proofOf = (secrets: readonly string[], now = RECEIVED_AT): Proof => ({
  secrets,
  storeUrl: null,
  now,
  keysOf: async () => [],
});

export const stored = (body: unknown): StoredCall => ({
  topic: 'any',
  headers: {},
  body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
  receivedAt: RECEIVED_AT,
});

/** The events of a call as status, time, description and location; null: it tells none. */
export function eventsOf(kind: TrackingKind, body: unknown) {
  const reading = kind.read(stored(body));
  if (reading.kind !== 'facts') return null;
  return reading.facts.events.map(({ status, at, description, location }) => [
    status,
    at.toISOString(),
    description,
    location,
  ]);
}
