import { test } from 'vitest';
import { openBrowser, PHONE, DESKTOP, SMALL_PHONE, complaintsOf } from '../helpers/browser.ts';
import { openShop } from './shop.ts';

test('look', async () => {
  const shop = await openShop();
  const browser = await openBrowser();
  try {
    const business = await shop.business({ name: 'Kuusk & Mänd', colour: '#2f6f4f' });
    const person = await business.recipient({ phone: '+37255500134' });
    await person.message({ subject: 'Welcome to Kuusk & Mänd', body: 'Thank you for choosing us.', opened: true });
    await person.message({ subject: 'Order confirmed', reference: '#1039', orderStatus: 'confirmed', opened: true });
    await person.message({ subject: 'Sorry, cancelled', reference: '#1039', orderStatus: 'cancelled' });
    await person.message({ subject: 'We have your order', body: 'Two candles and a very good book.', reference: '#1042', orderStatus: 'confirmed', opened: true });
    await person.message({ subject: 'Wrong tracking number', body: 'Tracking: 123', reference: '#1042', status: 'retracted', opened: true });
    await person.message({ subject: 'Delayed a little', reference: '#1040', orderStatus: 'delayed', updatedLater: 3600_000 });
    const linked = await person.message({ subject: 'Your parcel is on its way', reference: '#1042', orderStatus: 'shipped', body: 'Hello Mari,\n\nyour parcel left our workshop this morning and should be with you on Thursday.\n\nTrack it: https://track.example/p/EE123456789 (works from tonight).\n\nWarm regards,\nKuusk & Mänd 🌲' });
    await person.message({ subject: 'Planned delivery: Wednesday', reference: '#1042', status: 'obsolete', replacedBy: linked, opened: true });
    const go = async (name: string, options: object) => {
      const context = await browser.person(options);
      const page = await context.newPage();
      const complaints = complaintsOf(page);
      const token = await person.link(linked);
      await page.goto(`${shop.url}/i/${token}`);
      await page.screenshot({ path: `/tmp/inboxlook/${name}-arrival.png` });
      await page.waitForURL(/inbox/);
      await page.waitForSelector('#stories');
      await page.screenshot({ path: `/tmp/inboxlook/${name}-inbox.png`, fullPage: true });
      for (const [extra, path] of [['dead', '/i/nothing'], ['choices', '/inbox/choices'], ['unsub', '/inbox/choices/unsubscribe'], ['wa', '/inbox/choices/stop-whatsapp']]) {
        await page.goto(shop.url + path);
        await page.screenshot({ path: `/tmp/inboxlook/${name}-${extra}.png`, fullPage: true });
      }
      console.log(name, complaints);
      await context.close();
    };
    await go('phone-light', { viewport: PHONE, colorScheme: 'light', deviceScaleFactor: 2, locale: 'et-EE', timezoneId: 'Europe/Tallinn' });
    await go('phone-dark', { viewport: PHONE, colorScheme: 'dark', deviceScaleFactor: 2 });
    await go('small', { viewport: SMALL_PHONE, colorScheme: 'light', deviceScaleFactor: 2 });
    await go('desktop', { viewport: DESKTOP, colorScheme: 'light' });
    console.log(shop.logged.map((l) => [l.message, l.fields]));
  } finally {
    await browser.close();
    await shop.close();
  }
}, 120_000);
