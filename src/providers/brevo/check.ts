import { at, textAt } from '../../kit/json.ts';
import { askApi, type Finding, finding, type Judge } from '../askApi.ts';
import type { ApiDeps } from '../http.ts';
import { BREVO, brevoHeaders } from './send.ts';
import type { BrevoSettings } from './settings.ts';

export function checkBrevo(settings: BrevoSettings, deps: ApiDeps): Promise<Finding[]> {
  const judge: Judge = ({ status, body }) => {
    if (status !== 200 || textAt(body, 'email') === null) return null;
    return at(body, 'relay', 'enabled') === false
      ? finding.wrong('Brevo knows the key, but has not activated transactional email for this account.')
      : finding.good('Brevo knows the API key.');
  };
  return askApi(
    BREVO,
    { url: `${settings.apiUrl}/v3/account`, headers: brevoHeaders(settings) },
    judge,
    deps,
  );
}
