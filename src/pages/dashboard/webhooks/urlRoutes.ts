import { ENDPOINT_URL_MAX } from '../../../config/limits.ts';
import { sentenceOf, statusOf } from '../../../kit/errors.ts';
import { changeEndpoint } from '../../../webhooks/changeEndpoint.ts';
import { formOf } from '../../kit/request.ts';
import { EMPTY_FORM, readForm, textField } from '../../kit/typedForm.ts';
import type { Answer, DashboardContext, ShopRoute } from '../context.ts';
import { get, onRefusal, post } from '../route.ts';
import { backToEndpoint, type EndpointAction, onEndpoint } from './actionRoutes.ts';
import { faultsIn } from './routes.ts';
import { urlPage } from './url.tsx';

const URL_FORM = { url: textField(ENDPOINT_URL_MAX) };

/** Gives an endpoint another URL. */
export function webhookUrlRoutes(context: DashboardContext): ShopRoute[] {
  async function change(action: EndpointAction): Promise<Answer> {
    const { visit, key, endpoint, request } = action;
    const { values, ...form } = readForm(formOf(request), URL_FORM);
    if (values === null) return { ...urlPage(visit, endpoint, form), status: 422 };
    return changeEndpoint(context, key, values).then(
      ({ changed }) => backToEndpoint(action, changed ? 'url_changed' : 'url_same'),
      onRefusal(({ code, detail }) => {
        const isOfForm = typeof detail === 'string';
        const faults = isOfForm ? { url: sentenceOf(code) } : faultsIn(detail);
        return { ...urlPage(visit, endpoint, { ...form, faults }), status: statusOf(code) };
      }, 'webhook.endpoint_not_found'),
    );
  }

  return [
    get(
      '/webhooks/:endpoint_id/url',
      'webhook.manage',
      onEndpoint(context, async ({ visit, endpoint }) => urlPage(visit, endpoint, EMPTY_FORM)),
    ),
    post('/webhooks/:endpoint_id/url', 'webhook.manage', onEndpoint(context, change)),
  ];
}
