export interface RequestSource {
  secFetchSite: string | undefined;
  origin: string | undefined;
  host: string | undefined;
}

/**
 * Whether a form was sent from a page of ours. Browsers say so themselves in Sec-Fetch-Site. Older ones send only an
 * Origin, and since our pages give no referrer, theirs is "null"; so is the one of a sandboxed frame elsewhere, which
 * is why every form also carries a token that only a page of the session has.
 */
export function isFromOurPages({ secFetchSite, origin, host }: RequestSource, publicUrl: string): boolean {
  if (secFetchSite !== undefined) return secFetchSite === 'same-origin';
  if (origin === undefined || origin === 'null') return true;
  // A proxy may have changed the host it was asked for; a browser on another site cannot.
  return origin === new URL(publicUrl).origin || hostOf(origin) === host;
}

const hostOf = (origin: string): string | null => (URL.canParse(origin) ? new URL(origin).host : null);
