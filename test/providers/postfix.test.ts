import { expect, test } from 'vitest';
import { smtpEnv } from '../support/providerEnvironments.ts';
import { BOUNCE_PASSWORD, bounceEnv, suppressions } from './bounceService.ts';
import { canStartPostfix, startPostfix } from './postfixServer.ts';
import { sendWhen, startProviderService } from './providerService.ts';

test.skipIf(!canStartPostfix)(
  'a mail to nobody comes back from a real Postfix, and the message shows that it bounced',
  async () => {
    const postfix = await startPostfix(bounceEnv.BOUNCE_DOMAIN);
    const service = await startProviderService({ ...smtpEnv(postfix.port), ...bounceEnv });
    await postfix.postTo(service.url, BOUNCE_PASSWORD);
    const shop = await service.business();
    const { id } = await shop.pushed({ recipient_email: 'left-long-ago@shop.example' });
    await sendWhen(service, id, 'email', {
      state: 'failed',
      reason: 'bounced',
      error_code: 'smtp_bounce_5.1.1',
    });
    expect((await shop.get(`/api/v1/messages/${id}`)).body).toMatchObject({ delivery: { bounced: true } });
    expect(await suppressions(service, 'left-long-ago@shop.example')).toEqual(['bounce']);
  },
);
