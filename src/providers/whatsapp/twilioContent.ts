import type { TwilioAccount } from '../../config/providersPaid.ts';
import { type Clock, later, MINUTE } from '../../kit/clock.ts';
import { at, listAt, textAt } from '../../kit/json.ts';
import { type ApiDeps, answerFrom, exchange, HTTP_CALL_MS } from '../http.ts';
import type { ProviderResponse } from '../provider.ts';
import { TWILIO, twilioAnswer, twilioHeaders } from '../twilio.ts';

/** A content template as Twilio lists it. */
export interface ContentTemplate {
  sid: string;
  name: string;
  language: string;
  /** Of WhatsApp's review: `approved`, `pending`, `rejected`, … ; `unsubmitted` before it. */
  status: string;
}

const PAGE = 500;
const MOST_PAGES = 20;
const MAX_LIST_BYTES = 8 * 1024 * 1024;

/** What Twilio answered instead of the list. */
export type ContentList = { templates: ContentTemplate[] } | { answer: ProviderResponse };

/** Every content template of the account. */
export async function listContent(
  account: TwilioAccount,
  { client, callMs = HTTP_CALL_MS }: ApiDeps,
  signal: AbortSignal,
): Promise<ContentList> {
  const templates: ContentTemplate[] = [];
  let url: string | null = `${account.contentUrl}/v1/ContentAndApprovals?PageSize=${PAGE}`;
  for (let page = 0; url !== null && page < MOST_PAGES; page += 1) {
    const request = { method: 'GET' as const, url, headers: twilioHeaders(account) };
    const result = await exchange(client, request, { signal, timeoutMs: callMs, maxBytes: MAX_LIST_BYTES });
    let body: unknown;
    const answer = answerFrom(TWILIO, result, (given) => {
      if (given.status !== 200) return twilioAnswer(given, false);
      body = given.body;
      return null;
    });
    if (body === undefined) return { answer };
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

/** Only further pages of the same address: the credentials go nowhere else. */
const nextPage = (account: TwilioAccount, url: string | null): string | null =>
  url?.startsWith(`${account.contentUrl}/`) ? url : null;

/** Which template bears a name. */
export interface ContentDirectory {
  /** The template's SID; null: the account has none of this name that may be sent. */
  find(
    name: string,
    language: string,
    signal: AbortSignal,
  ): Promise<{ sid: string | null } | { answer: ProviderResponse }>;
  /** Looks again next time. */
  forget(): void;
}

const KNOWN_FOR_MS = 10 * MINUTE;

/**
 * Templates are known by their names, as everywhere else: a template that had to be made anew has another SID, and
 * nobody should have to enter it anywhere. One look serves all that ask meanwhile and for a while afterwards.
 */
export function contentDirectory(account: TwilioAccount, deps: ApiDeps & { clock: Clock }): ContentDirectory {
  let known: { templates: ContentTemplate[]; until: Date } | null = null;
  let looking: Promise<ContentList> | null = null;

  const look = async (signal: AbortSignal): Promise<ContentList> => {
    const list = await listContent(account, deps, signal);
    if ('templates' in list) known = { ...list, until: later(deps.clock.now(), KNOWN_FOR_MS) };
    return list;
  };

  return {
    async find(name, language, signal) {
      if (known === null || known.until <= deps.clock.now()) {
        looking ??= look(signal).finally(() => {
          looking = null;
        });
        const list = await looking;
        if ('answer' in list) return list;
      }
      const found = (known?.templates ?? []).filter((one) => one.name === name && one.language === language);
      return { sid: (found.find(({ status }) => status === 'approved') ?? null)?.sid ?? null };
    },
    forget: () => {
      known = null;
    },
  };
}
