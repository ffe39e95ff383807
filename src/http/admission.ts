import { createSharedCapacity, type SharedCapacity } from '../kit/fairShare.ts';
import type { HttpLimits } from './limits.ts';

/**
 * Counts the requests in progress and the bytes they hold, so that no caller exhausts the process and no tenant takes the share
 * of another. A tenant is a business, whatever the number of its keys; callers whose key is not known together; the
 * pages together; each provider that calls back.
 */
export interface Admission {
  /** Null: the tenant has as many requests in progress as it may have. `byteWeight`: how large its share of the bytes is. */
  admit(tenant: string, byteWeight?: number): Admitted | null;
  bytesHeld(): number;
}

/** One request in progress. It must be released once it is over; releasing it again does nothing. */
export interface Admitted {
  /** Bytes of its body that have arrived. False: its tenant holds as many as it may. */
  takeBytes(bytes: number): boolean;
  /** Bytes that exist already and must be sent, whatever the tenant's share. */
  addBytes(bytes: number): void;
  /** Its key is now known. False: that tenant has as many requests in progress as it may have. */
  moveTo(tenant: string): boolean;
  /** Its work goes on: until it ends, the request counts even after its caller has gone. */
  workBegins(): void;
  workEnds(): void;
  /** It is answered, or its caller has gone. */
  release(): void;
  readonly tenant: string;
}

export const WITHOUT_KNOWN_KEY = 'without a known key';
export const PAGES = 'pages';
/** Anyone can send a body to a page or in the name of a provider: each of these tenants gets a ninth of the bytes at most. */
export const ANYONE_WEIGHT = 1 / 8;

export function createAdmission(limits: Pick<HttpLimits, 'requests' | 'bodyBytes'>): Admission {
  const requests = createSharedCapacity(limits.requests);
  const bytes = createSharedCapacity(limits.bodyBytes);
  return {
    admit: (tenant, byteWeight = 1) =>
      requests.tryReserve(tenant, 1) ? new RequestInProgress(requests, bytes, tenant, byteWeight) : null,
    bytesHeld: () => bytes.used(),
  };
}

/** A class, since there is one for every request. */
class RequestInProgress implements Admitted {
  readonly #requests: SharedCapacity;
  readonly #bytes: SharedCapacity;
  readonly #byteWeight: number;
  #tenant: string;
  #held = 0;
  #working = 0;
  #released = false;
  #over = false;

  constructor(requests: SharedCapacity, bytes: SharedCapacity, tenant: string, byteWeight: number) {
    this.#requests = requests;
    this.#bytes = bytes;
    this.#tenant = tenant;
    this.#byteWeight = byteWeight;
  }

  get tenant(): string {
    return this.#tenant;
  }

  takeBytes(bytes: number): boolean {
    if (this.#over || !this.#bytes.tryReserve(this.#tenant, bytes, this.#byteWeight)) return false;
    this.#held += bytes;
    return true;
  }

  addBytes(bytes: number): void {
    if (this.#over) return;
    this.#bytes.add(this.#tenant, bytes);
    this.#held += bytes;
  }

  moveTo(tenant: string): boolean {
    if (this.#over || !this.#requests.tryReserve(tenant, 1)) return false;
    this.#requests.release(this.#tenant, 1);
    this.#bytes.release(this.#tenant, this.#held);
    this.#bytes.add(tenant, this.#held);
    this.#tenant = tenant;
    return true;
  }

  workBegins(): void {
    this.#working += 1;
  }

  workEnds(): void {
    this.#working -= 1;
    if (this.#released) this.release();
  }

  release(): void {
    this.#released = true;
    if (this.#over || this.#working > 0) return;
    this.#over = true;
    this.#requests.release(this.#tenant, 1);
    if (this.#held > 0) this.#bytes.release(this.#tenant, this.#held);
  }
}
