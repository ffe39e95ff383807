import type { MetaSettings } from '../../config/providersPaid.ts';
import { listAt, textAt } from '../../kit/json.ts';
import { type ApiDeps, answerFrom, exchange, HTTP_CALL_MS, type HttpRequest } from '../http.ts';
import { META, metaAnswer } from './metaAnswers.ts';
import { metaHeaders } from './metaWhatsapp.ts';
import { type TemplateReviewApi, templateReviewError, type WantedTemplate } from './templateReviewApi.ts';

const MOST_OF_A_NAME = 50;
const MAX_BYTES = 1024 * 1024;

/** Templates of a WhatsApp Business Account: making one hands it in for review. */
export function metaTemplates(
  settings: MetaSettings,
  { client, callMs = HTTP_CALL_MS }: ApiDeps,
): TemplateReviewApi {
  const url = `${settings.apiUrl}/${settings.version}/${settings.accountId}/message_templates`;

  const ask = async (request: HttpRequest, signal: AbortSignal): Promise<unknown> => {
    const result = await exchange(client, request, { signal, timeoutMs: callMs, maxBytes: MAX_BYTES });
    let body: unknown;
    let said: string | null = null;
    const answer = answerFrom(META, result, (given) => {
      said = textAt(given.body, 'error', 'error_user_msg') ?? textAt(given.body, 'error', 'message');
      if (given.status !== 200) return metaAnswer(given, false);
      body = given.body;
      return null;
    });
    if (body === undefined) throw templateReviewError('WhatsApp', answer, said);
    return body;
  };

  return {
    async find({ name, language }, signal) {
      const query = new URLSearchParams({
        name,
        fields: 'name,status,language',
        limit: String(MOST_OF_A_NAME),
      });
      const body = await ask(
        { method: 'GET', url: `${url}?${query}`, headers: metaHeaders(settings) },
        signal,
      );
      // Names that merely begin alike are found, too.
      const found = listAt(body, 'data').find(
        (one) => textAt(one, 'name') === name && textAt(one, 'language') === language,
      );
      const status = textAt(found, 'status');
      return status === null ? null : { status, id: textAt(found, 'id') ?? '' };
    },
    async create(wanted, signal) {
      const body = JSON.stringify(creation(wanted));
      const made = await ask({ method: 'POST', url, headers: metaHeaders(settings), body }, signal);
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
