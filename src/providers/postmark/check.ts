import { textAt } from '../../kit/json.ts';
import { askApi, type Finding, finding, type Judge } from '../askApi.ts';
import type { ApiDeps } from '../http.ts';
import { POSTMARK } from './send.ts';
import type { PostmarkSettings } from './settings.ts';

export function checkPostmark(settings: PostmarkSettings, deps: ApiDeps): Promise<Finding[]> {
  const headers = { accept: 'application/json', 'x-postmark-server-token': settings.serverToken };
  const judge: Judge = ({ status, body }) => {
    if (status !== 200 || textAt(body, 'Name') === null) return null;
    return textAt(body, 'DeliveryType') === 'Sandbox'
      ? finding.wrong(
          'The token is of a Postmark sandbox server, which delivers nothing: use the token of a live one.',
        )
      : finding.good('Postmark knows the server token.');
  };
  return askApi(POSTMARK, { url: `${settings.apiUrl}/server`, headers }, judge, deps);
}
