import { createSharedCapacity, type SharedCapacity } from '../kit/fairShare.ts';
import type { HttpLimits } from './limits.ts';

export type Admission = ReturnType<typeof createAdmission>;

export const UNRECOGNISED_KEY = 'without a known key';
export const PAGES = 'pages';
/**
 * Anyone can send a body to a page or in a provider's name: each of these tenants gets at most a ninth of the
 * bytes.
 */
export const ANYONE_WEIGHT = 1 / 8;

/**
 * Counts the requests in progress and the bytes they hold, so that no caller exhausts the process and no tenant
 * uses another's share. A tenant is a business with all its keys; all callers without a recognised key together;
 * all pages together; or one provider's callbacks.
 */
export function createAdmission(limits: Pick<HttpLimits, 'requests' | 'bodyBytes'>) {
  const requests = createSharedCapacity(limits.requests);
  const bytes = createSharedCapacity(limits.bodyBytes);
  return {
    /** Null if the tenant's share of requests is used up. `byteWeight` scales its share of the bytes. */
    admit: (tenant: string, byteWeight = 1) =>
      requests.tryReserve(tenant, 1) ? new Admitted(requests, bytes, tenant, byteWeight) : null,
    bytesHeld: () => bytes.used(),
  };
}

/** One request in progress. It must be released at its end; releasing it twice is harmless. A class, because every request has one. */
export class Admitted {
  readonly #requests: SharedCapacity;
  readonly #bytes: SharedCapacity;
  readonly #byteWeight: number;
  #tenant: string;
  #held = 0;
  #working = 0;
  #released = false;
  #over = false;
  #gone: (() => void) | null = null;

  constructor(requests: SharedCapacity, bytes: SharedCapacity, tenant: string, byteWeight: number) {
    this.#requests = requests;
    this.#bytes = bytes;
    this.#tenant = tenant;
    this.#byteWeight = byteWeight;
  }

  get tenant(): string {
    return this.#tenant;
  }

  /** Reserves bytes of its body that have arrived. False if the tenant's share is used up. */
  reserveBytes(bytes: number): boolean {
    if (this.#over || !this.#bytes.tryReserve(this.#tenant, bytes, this.#byteWeight)) return false;
    this.#held += bytes;
    return true;
  }

  /** Counts bytes that exist already and must be sent, whatever the tenant's share. */
  addBytes(bytes: number): void {
    if (this.#over) return;
    this.#bytes.add(this.#tenant, bytes);
    this.#held += bytes;
  }

  /** The key is now recognised. False if that tenant's share of requests is used up. */
  moveTo(tenant: string): boolean {
    if (this.#over || !this.#requests.tryReserve(tenant, 1)) return false;
    this.#requests.release(this.#tenant, 1);
    this.#bytes.release(this.#tenant, this.#held);
    this.#bytes.add(tenant, this.#held);
    this.#tenant = tenant;
    return true;
  }

  /** Until the work ends, the request counts even after its caller has gone. */
  workBegins(): void {
    this.#working += 1;
  }

  workEnds(): void {
    this.#working -= 1;
    if (this.#released) this.release();
  }

  /** Until it resumes, the request waits for something to happen and counts towards no share. `gone`: the caller hung up. */
  waits(gone: () => void): void {
    this.#requests.release(this.#tenant, 1);
    this.#gone = gone;
    if (this.#released) gone();
  }

  resumes(): void {
    this.#gone = null;
    this.#requests.add(this.#tenant, 1);
  }

  /** The response is sent, or the caller has gone. */
  release(): void {
    this.#released = true;
    this.#gone?.();
    if (this.#over || this.#working > 0) return;
    this.#over = true;
    this.#requests.release(this.#tenant, 1);
    if (this.#held > 0) this.#bytes.release(this.#tenant, this.#held);
  }
}
