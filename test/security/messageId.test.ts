import { expect, test } from 'vitest';
import { openConsole } from '../cli/console.ts';
import { mockSmtp } from '../providers/mockSmtp.ts';
import { sendWhen, startProviderService } from '../providers/providerService.ts';
import { SHARED_ENV, smtpEnv } from '../support/providerEnvironments.ts';
import type { Shop } from '../support/shop.ts';

test('the Message-ID of a mail ends in the domain of its sender, not in the host of the service', async () => {
  const server = await mockSmtp();
  const service = await startProviderService(smtpEnv(server.port), {
    publicUrl: 'https://internal-host.waypost.test',
  });
  const sharing = await service.business({ name: 'Sharing' });
  const own = await service.business({ name: 'Own' });
  await openConsole(service.database.url).json(
    'sender',
    'set',
    own.businessId,
    'email',
    'Orders@Mail.Own.example',
  );

  const mailOf = async (shop: Shop) => {
    const { id } = await shop.pushed();
    const send = await sendWhen(service, id, 'email', { state: 'accepted' });
    // A long header goes over two lines.
    const mail = (server.taken.at(-1)?.mail ?? '').replace(/\r?\n[ \t]+/g, ' ');
    const header = (name: string) => new RegExp(`^${name}: *(.*)$`, 'im').exec(mail)?.[1]?.trim();
    return { id: header('Message-ID'), from: header('From'), reference: `${shop.businessId}-${send.id}` };
  };
  const shared = await mailOf(sharing);
  expect(shared).toMatchObject({
    id: `<${shared.reference}@waypost.example>`,
    from: expect.stringContaining(`<${SHARED_ENV.email}>`),
  });
  const theirs = await mailOf(own);
  expect(theirs).toMatchObject({
    id: `<${theirs.reference}@mail.own.example>`,
    from: expect.stringContaining('<orders@mail.own.example>'),
  });
});
