/** Where it is kept, from the root. */
export const METHODS_FILE: string;
/** The TypeScript that says by which method of the client each operation is called. */
export function clientMethodsSource(): string;
