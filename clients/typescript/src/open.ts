/** One of these words, which an editor completes, or one that is newer than this version of the client. */
export type Open<Known extends string> = Known | (string & Record<never, never>);
