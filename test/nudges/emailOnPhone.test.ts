import { afterAll, beforeAll, expect } from 'vitest';
import { emailNudge } from '../../src/nudges/emailWording.tsx';
import { browserTest, openBrowser, type TestBrowser } from '../support/browser.ts';

let browser: TestBrowser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

const SMALLEST_PHONE = { width: 320, height: 568 };

browserTest.each(['en', 'de', 'et', 'fi', 'lv'] as const)(
  'a mail shows on the smallest phone when a parcel comes, where to follow it and where to read on, without scrolling: %s',
  async (language) => {
    const { html } = emailNudge({
      businessName: 'Acme Books',
      subject: 'Your order #1001 has shipped',
      reference: '#1001',
      orderStatus: 'shipped',
      kind: 'new',
      language,
      link: 'https://waypost.example/i/x',
      unsubscribeLink: 'https://waypost.example/u/x',
      parcels: {
        shipments: [
          {
            trackingNumber: 'JD0146000912',
            carrier: 'Omniva',
            trackingUrl: 'https://track.example/1',
            expectedOn: '2026-11-25',
            expectedUntil: null,
            status: null,
          },
        ],
        now: new Date('2026-11-19T09:00:00.000Z'),
      },
    });
    const context = await browser.newProfile({ viewport: SMALLEST_PHONE });
    const page = await context.newPage();
    await page.setContent(html);
    const answers = page.locator('.parcel b, .second a, .button a');
    expect(await answers.count()).toBe(3);
    for (const answer of await answers.all()) {
      const box = await answer.boundingBox();
      expect(box && box.y + box.height).toBeLessThan(SMALLEST_PHONE.height);
    }
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(SMALLEST_PHONE.width);
    await context.close();
  },
);
