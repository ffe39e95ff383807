/** One page of a list. */
export interface Page<Item> {
  items: Item[];
  next_cursor: string | null;
}

/** A list of any length: `for await (const item of list)` reads page after page, as far as the loop goes. */
export class Paged<Item> implements AsyncIterable<Item> {
  readonly #read: (cursor: string | undefined) => Promise<Page<Item>>;
  readonly #first: string | undefined;

  constructor(read: (cursor: string | undefined) => Promise<Page<Item>>, first: string | undefined) {
    this.#read = read;
    this.#first = first;
  }

  /** The same, a page at a time. A page can be empty before the last one. */
  async *pages(): AsyncGenerator<Page<Item>, void, undefined> {
    let cursor = this.#first;
    for (;;) {
      const page = await this.#read(cursor);
      yield page;
      if (page.next_cursor === null) return;
      cursor = page.next_cursor;
    }
  }

  /** Item by item. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const { items } of this.pages()) yield* items;
  }
}
