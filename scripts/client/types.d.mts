/** The TypeScript that describes an OpenAPI document of ours. */
export function clientTypes(document: unknown): string;
