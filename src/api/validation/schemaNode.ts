/**
 * One node of a schema during compilation. It records which keywords were read, so that every keyword is either
 * checked or known to have no effect on validity; any other stops the compilation.
 */
export class SchemaNode {
  readonly place: string;
  readonly #keywords: Map<string, unknown>;
  readonly #asked = new Set<string>(ANNOTATIONS);

  constructor(schema: unknown, place: string) {
    if (typeof schema !== 'object' || schema === null) throw new SchemaError(place, 'is no schema');
    this.place = place;
    this.#keywords = new Map(Object.entries(schema));
  }

  has(keyword: string): boolean {
    return this.#keywords.has(keyword);
  }

  get(keyword: string): unknown {
    this.#asked.add(keyword);
    return this.#keywords.get(keyword);
  }

  number(keyword: string): number | undefined {
    const value = this.get(keyword);
    if (value === undefined || typeof value === 'number') return value;
    throw new SchemaError(this.place, `wants a number for ${keyword}`);
  }

  string(keyword: string): string | undefined {
    const value = this.get(keyword);
    if (value === undefined || typeof value === 'string') return value;
    throw new SchemaError(this.place, `wants a string for ${keyword}`);
  }

  strings(keyword: string): string[] {
    const value = this.get(keyword) ?? [];
    if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
    throw new SchemaError(this.place, `wants a list of strings for ${keyword}`);
  }

  nodes(keyword: string): SchemaNode[] {
    const value = this.get(keyword);
    if (!Array.isArray(value)) throw new SchemaError(this.place, `wants a list of schemas for ${keyword}`);
    return value.map((schema) => new SchemaNode(schema, this.place));
  }

  namedNodes(keyword: string): [string, SchemaNode][] {
    const value = this.get(keyword);
    if (typeof value !== 'object' || value === null)
      throw new SchemaError(this.place, `wants schemas by name for ${keyword}`);
    return Object.entries(value).map(([name, schema]) => [
      name,
      new SchemaNode(schema, `${this.place}.${name}`),
    ]);
  }

  finish(): void {
    for (const keyword of this.#keywords.keys()) {
      if (!this.#asked.has(keyword))
        throw new SchemaError(this.place, `has the keyword ${keyword}, which nothing checks`);
    }
  }
}

/** A mistake in one of our schemas, found when the server starts. */
export class SchemaError extends Error {
  constructor(place: string, what: string) {
    super(`The schema at ${place} ${what}.`);
  }
}

const ANNOTATIONS = ['title', 'description', 'examples', 'deprecated', '$id', '$comment'];
