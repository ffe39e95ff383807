import { trimEndChars } from '../kit/trimEndChars.ts';
import { parseEndpointUrl } from '../webhooks/endpointUrl.ts';
import type { AllowList } from '../webhooks/publicAddress.ts';

/** Where a store is, as its owner types it. `url` is the form to store, to which paths are added; a store may stand below a path. */
export function parseStoreUrl(
  text: string,
  allowHosts: AllowList,
): { ok: true; url: string } | { ok: false; fault: string } {
  const parsed = parseEndpointUrl(text.trim(), { allowHosts });
  if (!parsed.ok) return parsed;
  if (parsed.url.search !== '') return { ok: false, fault: 'The URL must not contain a query.' };
  return { ok: true, url: trimEndChars(parsed.url.href, '/?') };
}
