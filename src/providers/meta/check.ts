import { textAt } from '../../kit/json.ts';
import { askApi, type Finding, finding, type Judge, warningIf } from '../askApi.ts';
import type { ApiDeps } from '../http.ts';
import { META, metaVerdict } from './answers.ts';
import { metaHeaders } from './send.ts';
import type { MetaSettings } from './settings.ts';

export function checkMeta(settings: MetaSettings, deps: ApiDeps): Promise<Finding[]> {
  const url = `${settings.apiUrl}/${settings.version}/${settings.phoneNumberId}?fields=id,quality_rating`;
  const judge: Judge = ({ status, body }) => {
    if (status === 200 && textAt(body, 'id') === settings.phoneNumberId)
      return [
        finding.good('WhatsApp knows the token and the phone number.'),
        ...warningIf(
          textAt(body, 'quality_rating') === 'RED',
          'WhatsApp rates the phone number’s quality as low, and may limit it.',
        ),
      ];
    if (status < 400 || status >= 500) return null;
    const code = textAt(body, 'error', 'code');
    if (code === '100')
      return finding.wrong('WhatsApp does not know the phone number id (100): check META_PHONE_NUMBER_ID.');
    const verdict = metaVerdict(code);
    return verdict !== null && 'sentence' in verdict ? finding.wrong(verdict.sentence) : null;
  };
  return askApi(META, { url, headers: metaHeaders(settings) }, judge, deps);
}
