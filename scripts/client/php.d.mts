/** Every generated file of the PHP client, by its path. */
export function phpFiles(document: unknown): Map<string, string>;
