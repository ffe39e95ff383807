import { systemClock } from '../../kit/clock.ts';
import { at, isObject } from '../../kit/json.ts';
import { askApi, type Finding, finding, type Judge } from '../askApi.ts';
import type { ApiDeps } from '../http.ts';
import { VONAGE, vonageHeaders } from './api.ts';
import type { VonageSettings } from './settings.ts';

/** Lists conversations, of which we have none: the one list that every application's token may read. */
export async function checkVonage(settings: VonageSettings, deps: ApiDeps): Promise<Finding[]> {
  const judge: Judge = ({ status, body }) =>
    status === 200 && isObject(at(body, '_embedded'))
      ? finding.good('Vonage knows the application and its key.')
      : null;
  const url = `${settings.apiUrl}/v1/conversations?page_size=1`;
  return askApi(VONAGE, { url, headers: await vonageHeaders(settings, systemClock)() }, judge, deps);
}
