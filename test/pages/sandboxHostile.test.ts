import { afterAll, beforeAll, expect } from 'vitest';
import { later, systemClock } from '../../src/kit/clock.ts';
import { newId } from '../../src/kit/ids.ts';
import { browserTest as test } from '../support/browser.ts';
import type { DemoService } from './playground.ts';
import { type SandboxVisit, visitSandbox } from './sandboxPage.ts';

let visit: SandboxVisit;
let playground: DemoService;
beforeAll(async () => {
  visit = await visitSandbox();
  ({ playground } = visit);
});
afterAll(() => visit.close());

const HOSTILE = `<img src=x onerror="parent.pwned=1"><script>parent.pwned=1;top.location='/'</script>"><svg/onload=alert(1)>`;

test('hostile words stay words, and a hostile mail can do nothing', async () => {
  const { page, complaints } = await visit.developer({});
  const { pool } = playground.service;
  const shop = await playground.service.business({ name: HOSTILE });
  const now = later(systemClock.now(), 400 * 86_400_000);
  const id = newId(now);
  const answered: string[] = [];
  page.on('response', (response) => answered.push(response.url()));
  page.on('dialog', (dialog) => dialog.dismiss().then(() => complaints.push('a dialog')));
  const html = `<!doctype html><title>x</title><h1>Hello</h1>${HOSTILE}<img src="${playground.url}/loaded.png">
    <form action="${playground.url}/sandbox/clock" method="post"><input name="advance_seconds" value="60"><button>Go</button></form>
    <style>b{display:none}</style><b>Styled away</b><iframe src="/sandbox"></iframe><meta http-equiv="refresh" content="0;url=/">`;
  for (const [channel, to] of [
    ['email', `${HOSTILE}@example.com`],
    ['sms', HOSTILE],
  ]) {
    await pool.query(
      `insert into sandbox_messages (id, business_id, send_id, recipient_id, channel, recipient, subject, text, html,
         headers, provider_id, outcome, at)
       values ($1 || $3, $2, $1, 'nobody', $3, $4, $5, $5, $6, $7, $1 || $3, $5, $8)`,
      [id, shop.businessId, channel, to, HOSTILE, html, { [HOSTILE]: HOSTILE }, now],
    );
  }
  await page.goto(`${playground.url}/sandbox?open=${id}email`);
  const frame = page.frameLocator('iframe');
  await frame.getByRole('heading', { name: 'Hello' }).waitFor();
  expect(await frame.getByText('Styled away').isVisible()).toBe(false);
  await frame.getByRole('button', { name: 'Go' }).click();
  await page.goto(`${playground.url}/sandbox?open=${id}sms`);
  await page.locator('.bubble p').waitFor();
  expect(await page.locator('.bubble p').textContent()).toBe(HOSTILE);
  expect(await page.evaluate('window.pwned')).toBeUndefined();
  expect(await page.locator('main img, main svg[onload]').count()).toBe(0);
  expect(answered.filter((url) => /loaded\.png|\/x$|\/sandbox\/clock/.test(url))).toEqual([]);
  expect(complaints.filter((text) => text === 'a dialog')).toEqual([]);
  await pool.query('delete from sandbox_messages where send_id = $1', [id]);
});
