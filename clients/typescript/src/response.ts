/** A result with what its answer said around it. */
export interface WaypostResponse<Data> {
  /** What the call itself resolves to. */
  data: Data;
  /** The HTTP status. */
  status: number;
  /** Names the request in the server's logs. */
  requestId: string | null;
  /** Whether this is the stored answer of an earlier call with the same idempotency key. */
  replayed: boolean;
  /** Every header of the answer, by its name in any case. */
  headers: { get(name: string): string | null };
}

/** What a handler of failures gets, as the language has it: what fits another promise fits this one. */
type Reason = Parameters<NonNullable<Parameters<Promise<unknown>['catch']>[0]>>;

/** What a call returns: a promise of its result. */
export class WaypostPromise<Data> extends Promise<Data> {
  readonly #response: Promise<WaypostResponse<Data>>;

  constructor(response: Promise<WaypostResponse<Data>>) {
    // It never settles itself: what is derived from it follows `response`, the only promise that can be left unhandled.
    super(() => {});
    this.#response = response;
  }

  /** What `finally` makes is an ordinary promise. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  // biome-ignore lint/suspicious/noThenProperty: it is a promise
  override then<Result = Data, Failure = never>(
    onResult?: ((data: Data) => Result | PromiseLike<Result>) | null,
    onFailure?: ((...reason: Reason) => Failure | PromiseLike<Failure>) | null,
  ): Promise<Result | Failure> {
    return this.#response.then(({ data }) => data).then(onResult, onFailure);
  }

  // The same call with its result as something else.
  static of<Data, Result>(call: WaypostPromise<Data>, made: (data: Data) => Result): WaypostPromise<Result> {
    return new WaypostPromise(
      call.withResponse().then((response) => ({ ...response, data: made(response.data) })),
    );
  }

  /** The result with its request id, status, headers, and whether it was replayed. The call is made once, whichever you await. */
  withResponse(): Promise<WaypostResponse<Data>> {
    return this.#response;
  }
}
