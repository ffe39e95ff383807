import { afterAll, beforeAll, expect } from 'vitest';
import { emailNudge } from '../../src/nudges/emailWording.tsx';
import { browserTest, openBrowser, type TestBrowser } from '../support/browser.ts';

let browser: TestBrowser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

/** As long as an excerpt can be. */
const BODY =
  'Hello Ann,\n\nyour parcel left our warehouse this morning, and the carrier says that it will be with you soon. '.repeat(
    9,
  );

const SMALLEST_PHONE = { width: 320, height: 568 };
const USUAL_PHONE = { width: 390, height: 844 };

browserTest.each(['en', 'de', 'et', 'fi', 'lv'] as const)(
  'a mail shows without scrolling, on the smallest phone when a parcel comes and where to follow it, on a usual one also how to read on: %s',
  async (language) => {
    const { html } = emailNudge({
      businessName: 'Acme Books',
      subject: 'Your order #1001 has shipped',
      body: BODY,
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
    for (const [viewport, answers] of [
      [SMALLEST_PHONE, '.parcel b, .second a'],
      [USUAL_PHONE, '.parcel b, .second a, .button a'],
    ] as const) {
      const context = await browser.newProfile({ viewport });
      const page = await context.newPage();
      await page.setContent(html);
      const shown = await page.locator(answers).all();
      expect(shown).toHaveLength(answers.split(',').length);
      for (const answer of shown) {
        const box = await answer.boundingBox();
        expect(box && box.y + box.height).toBeLessThan(viewport.height);
      }
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width);
      await context.close();
    }
  },
);
