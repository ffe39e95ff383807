import type { MetaSettings } from '../../config/providersPaid.ts';
import { listAt, textAt } from '../../kit/json.ts';
import { type ApiDeps, answerFrom, exchange, HTTP_CALL_MS, type HttpRequest } from '../http.ts';
import { type TemplateReviewApi, templateReviewError, type WantedTemplate } from '../templateReviewApi.ts';
import { META, metaAnswer } from './answers.ts';
import { metaHeaders } from './send.ts';

const PAGE_SIZE = 50;
const MAX_BYTES = 1024 * 1024;

/** Templates of a WhatsApp Business Account. Creating one also submits it for review. */
export function metaTemplates(
  settings: MetaSettings,
  { client, callMs = HTTP_CALL_MS }: ApiDeps,
): TemplateReviewApi {
  const url = `${settings.apiUrl}/${settings.version}/${settings.accountId}/message_templates`;

  const call = async (request: HttpRequest, signal: AbortSignal): Promise<unknown> => {
    const result = await exchange(client, request, { signal, timeoutMs: callMs, maxBytes: MAX_BYTES });
    let body: unknown;
    let reason: string | null = null;
    const answer = answerFrom(META, result, (response) => {
      reason = textAt(response.body, 'error', 'error_user_msg') ?? textAt(response.body, 'error', 'message');
      if (response.status !== 200) return metaAnswer(response, false);
      body = response.body;
      return null;
    });
    if (body === undefined) throw templateReviewError('WhatsApp', answer, reason);
    return body;
  };

  return {
    async find({ name, language }, signal) {
      const query = new URLSearchParams({
        name,
        fields: 'name,status,language',
        limit: String(PAGE_SIZE),
      });
      const body = await call(
        { method: 'GET', url: `${url}?${query}`, headers: metaHeaders(settings) },
        signal,
      );
      // The query also finds names with this prefix.
      const found = listAt(body, 'data').find(
        (one) => textAt(one, 'name') === name && textAt(one, 'language') === language,
      );
      const status = textAt(found, 'status');
      return status === null ? null : { status, id: textAt(found, 'id') ?? '' };
    },
    async create(wanted, signal) {
      const body = JSON.stringify(creation(wanted));
      const made = await call({ method: 'POST', url, headers: metaHeaders(settings), body }, signal);
      return textAt(made, 'status') ?? 'PENDING';
    },
  };
}

const creation = ({ name, language, category, body, example }: WantedTemplate) => ({
  name,
  category,
  language,
  parameter_format: 'POSITIONAL',
  components: [{ type: 'BODY', text: body, example: { body_text: [example] } }],
});
