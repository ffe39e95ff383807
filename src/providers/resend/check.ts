import { at, listAt, textAt } from '../../kit/json.ts';
import { askApi, type Finding, finding, type Judge } from '../askApi.ts';
import type { ApiDeps } from '../http.ts';
import { RESEND } from './send.ts';
import type { ResendSettings } from './settings.ts';

export function checkResend(settings: ResendSettings, deps: ApiDeps): Promise<Finding[]> {
  const domain = settings.from.slice(settings.from.indexOf('@') + 1);
  const judge: Judge = ({ status, body }) => {
    if (status === 401 && textAt(body, 'name') === 'restricted_api_key')
      return finding.good(
        `Resend knows the key. It may only send, so the domain ${domain} could not be looked up.`,
      );
    if (status !== 200 || !Array.isArray(at(body, 'data'))) return null;
    const found = listAt(body, 'data').find((one) => textAt(one, 'name')?.toLowerCase() === domain);
    const state = textAt(found, 'status');
    if (state === 'verified') return finding.good(`Resend knows the key and has verified ${domain}.`);
    return finding.wrong(
      state === null
        ? `Resend does not have the domain of EMAIL_FROM (${domain}): add it there.`
        : `Resend has not verified the domain of EMAIL_FROM (${domain} is ${state}): set its DNS records.`,
    );
  };
  const headers = { authorization: `Bearer ${settings.apiKey}` };
  return askApi(RESEND, { url: `${settings.apiUrl}/domains`, headers }, judge, deps);
}
