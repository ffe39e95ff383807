import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PHONE_NUMBER } from '../support/phoneNumber.ts';
import { startService, type TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';

/** The whole service with a demo business whose key the pages may show, as a newcomer's first start makes it. */
export interface DemoService {
  service: TestService;
  url: string;
  shop: Shop;
  close(): Promise<void>;
}

export async function startDemoService(environment: Record<string, string> = {}): Promise<DemoService> {
  const folder = await mkdtemp(join(tmpdir(), 'waypost-pages-'));
  const service = await startService({ DATA_DIR: folder, ...environment });
  const shop = await service.business({ name: 'Acme Books', credits: 100 });
  await writeFile(join(folder, 'demo.json'), JSON.stringify({ api_key: shop.apiKey }));
  return {
    service,
    url: service.url,
    shop,
    async close() {
      await service.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A push that WhatsApp can carry, too. */
export const ALL_CHANNELS = {
  recipient_phone: PHONE_NUMBER,
  reference: '#1001',
  order_status: 'shipped',
  channels: ['sms', 'whatsapp'],
  whatsapp_opt_in: { source: 'checkout' },
};
