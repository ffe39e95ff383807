/** The reference of the TypeScript client in Markdown. */
export function clientReference(): string;
