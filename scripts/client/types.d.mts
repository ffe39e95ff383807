/** The TypeScript that describes an OpenAPI document of ours. */
export function typesOf(document: unknown): string;
