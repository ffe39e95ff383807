import { listAt } from '../../kit/json.ts';
import { askApi, type Finding, finding, type Judge } from '../askApi.ts';
import type { ApiDeps } from '../http.ts';
import { SENDGRID, sendgridHeaders } from './send.ts';
import type { SendgridSettings } from './settings.ts';

export function checkSendgrid(settings: SendgridSettings, deps: ApiDeps): Promise<Finding[]> {
  const judge: Judge = ({ status, body }) => {
    const scopes = listAt(body, 'scopes');
    if (status !== 200 || scopes.length === 0) return null;
    return scopes.includes('mail.send')
      ? finding.good('SendGrid knows the key and lets it send.')
      : finding.wrong('The SendGrid key may not send: give it the permission Mail Send.');
  };
  const headers = sendgridHeaders(settings);
  return askApi(SENDGRID, { url: `${settings.apiUrl}/v3/scopes`, headers }, judge, deps);
}
