import { type Clock, later, MINUTE } from '../../kit/clock.ts';
import { at, listAt, textAt } from '../../kit/json.ts';
import { fetchJson } from '../api.ts';
import type { ApiDeps } from '../http.ts';
import type { ProviderResponse } from '../provider.ts';
import { TWILIO, twilioAnswer, twilioHeaders } from './api.ts';
import type { TwilioAccount } from './settings.ts';

export interface ContentTemplate {
  sid: string;
  name: string;
  language: string;
  /** The status of WhatsApp's review: `approved`, `pending`, `rejected`, …; `unsubmitted` before it. */
  status: string;
}

const PAGE = 500;
const PAGES_MAX = 20;
const MAX_LIST_BYTES = 8 * 1024 * 1024;

/** The list, or the response that came instead of it. */
type ContentList = { templates: ContentTemplate[] } | { answer: ProviderResponse };

export async function listContent(
  account: TwilioAccount,
  deps: ApiDeps,
  signal: AbortSignal,
): Promise<ContentList> {
  const templates: ContentTemplate[] = [];
  let url: string | null = `${account.contentUrl}/v1/ContentAndApprovals?PageSize=${PAGE}`;
  for (let page = 0; url !== null && page < PAGES_MAX; page += 1) {
    const request = { method: 'GET' as const, url, headers: twilioHeaders(account) };
    const limits = { signal, maxBytes: MAX_LIST_BYTES };
    const { body, answer } = await fetchJson(TWILIO, deps, request, limits, twilioAnswer);
    if (answer !== null) return { answer };
    templates.push(...listAt(body, 'contents').flatMap(contentTemplate));
    url = nextPage(account, textAt(body, 'meta', 'next_page_url'));
  }
  return { templates };
}

function contentTemplate(content: unknown): ContentTemplate[] {
  const sid = textAt(content, 'sid');
  const name = textAt(content, 'friendly_name');
  if (sid === null || name === null) return [];
  const approval = at(content, 'approval_requests');
  const status = textAt(approval, 'status') ?? textAt(approval, 'whatsapp', 'status') ?? 'unsubmitted';
  return [{ sid, name, language: textAt(content, 'language') ?? '', status }];
}

/** Follows only pages under the same URL: the credentials go nowhere else. */
const nextPage = (account: TwilioAccount, url: string | null): string | null =>
  url?.startsWith(`${account.contentUrl}/`) ? url : null;

export type ContentDirectory = ReturnType<typeof contentDirectory>;

const CACHED_MS = 10 * MINUTE;

/**
 * Templates are identified by name, as everywhere else: a recreated template has another SID, and no operator
 * should have to enter it. Concurrent lookups share one request, and its result is cached for a while.
 */
export function contentDirectory(account: TwilioAccount, deps: ApiDeps & { clock: Clock }) {
  let cached: { templates: ContentTemplate[]; until: Date } | null = null;
  let loading: Promise<ContentList> | null = null;

  const load = async (signal: AbortSignal): Promise<ContentList> => {
    const list = await listContent(account, deps, signal);
    if ('templates' in list) cached = { ...list, until: later(deps.clock.now(), CACHED_MS) };
    return list;
  };

  return {
    /** The template's SID; null if the account has no approved template of this name. */
    async find(
      name: string,
      language: string,
      signal: AbortSignal,
    ): Promise<{ sid: string | null } | { answer: ProviderResponse }> {
      if (cached === null || cached.until <= deps.clock.now()) {
        loading ??= load(signal).finally(() => {
          loading = null;
        });
        const list = await loading;
        if ('answer' in list) return list;
      }
      const found = (cached?.templates ?? []).filter((one) => one.name === name && one.language === language);
      return { sid: (found.find(({ status }) => status === 'approved') ?? null)?.sid ?? null };
    },
    forget: () => {
      cached = null;
    },
  };
}
