import { listAt, textAt } from '../../kit/json.ts';
import { fetchJson } from '../api.ts';
import type { ApiDeps, HttpRequest } from '../http.ts';
import { type TemplateReviewApi, templateReviewError, type WantedTemplate } from '../templateReviewApi.ts';
import { META, metaAnswer } from './answers.ts';
import { metaHeaders } from './send.ts';
import type { MetaSettings } from './settings.ts';

const PAGE_SIZE = 50;
const MAX_BYTES = 1024 * 1024;

/** Templates of a WhatsApp Business Account. Creating one also submits it for review. */
export function metaTemplates(settings: MetaSettings, deps: ApiDeps): TemplateReviewApi {
  const url = `${settings.apiUrl}/${settings.version}/${settings.accountId}/message_templates`;

  const call = async (request: Omit<HttpRequest, 'headers'>, signal: AbortSignal): Promise<unknown> => {
    const limits = { signal, maxBytes: MAX_BYTES };
    const withHeaders = { ...request, headers: metaHeaders(settings) };
    const { body, answer } = await fetchJson(META, deps, withHeaders, limits, metaAnswer);
    if (answer === null) return body;
    const reason = textAt(body, 'error', 'error_user_msg') ?? textAt(body, 'error', 'message');
    throw templateReviewError('WhatsApp', answer, reason);
  };

  return {
    async find({ name, language }, signal) {
      const query = new URLSearchParams({ name, fields: 'name,status,language', limit: String(PAGE_SIZE) });
      const body = await call({ method: 'GET', url: `${url}?${query}` }, signal);
      // The query also finds names with this prefix.
      const found = listAt(body, 'data').find(
        (one) => textAt(one, 'name') === name && textAt(one, 'language') === language,
      );
      const status = textAt(found, 'status');
      return status === null ? null : { status, id: textAt(found, 'id') ?? '' };
    },
    async create(wanted, signal) {
      const body = JSON.stringify(creation(wanted));
      return textAt(await call({ method: 'POST', url, body }, signal), 'status') ?? 'PENDING';
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
