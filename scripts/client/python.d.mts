/** Every generated file of the Python client, by its path. */
export function pythonFiles(document: unknown): Map<string, string>;
