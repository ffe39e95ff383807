import { SECOND, systemClock } from '../../kit/clock.ts';
import { newId } from '../../kit/ids.ts';
import { standardHeaders, webhookKey } from '../../kit/standardWebhooks.ts';
import { askApi, type Finding, finding, type Judge } from '../askApi.ts';
import type { ApiDeps } from '../http.ts';
import { HTTP } from './send.ts';
import type { HttpReceiver } from './settings.ts';

/** A signed GET without a body: a receiver that checks signatures first tells a wrong secret, and nothing is sent. */
export function checkHttp({ url, secrets }: HttpReceiver, deps: ApiDeps): Promise<Finding[]> {
  const { host } = new URL(url);
  const judge: Judge = ({ status }) => {
    if (status === 204) return finding.good(`The receiver at ${host} knows the secret.`);
    if (status >= 300 && status !== 405 && status !== 501) return null;
    return finding.warning(
      `The receiver at ${host} answers a signed GET with ${status}, not with 204: whether it knows the secret could not be checked.`,
    );
  };
  const now = systemClock.now();
  const seconds = Math.floor(now.getTime() / SECOND);
  const headers = standardHeaders(secrets.map(webhookKey), `check_${newId(now)}`, seconds, '');
  return askApi(HTTP, { url, headers }, judge, deps);
}
