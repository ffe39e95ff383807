import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { removeSender, setPrice, setSender } from '../../src/businesses/sql.ts';
import { ORDER_STATUSES } from '../../src/contract/orderStatuses.ts';
import { setTemplateState, setTranslationState } from '../../src/templates/sql.ts';
import { openConsole, type TestConsole } from '../cli/console.ts';
import { PHONE_NUMBER } from '../support/phoneNumber.ts';
import { startService, type TestService } from '../support/service.ts';
import { expectStatus, type Shop } from '../support/shop.ts';
import { eventually } from '../support/waiting.ts';
import {
  csrfIn,
  joinAsOperator,
  joinShop,
  type MemberBrowser,
  mainOf,
  type ReadPage,
  signedIn,
} from './memberBrowser.ts';

let service: TestService;
let console: TestConsole;
let shop: Shop;
let ownerId: string;
let owner: MemberBrowser;
let viewer: MemberBrowser;
const HOSTILE = '"><script>alert(1)</script>';

beforeAll(async () => {
  service = await startService();
  console = openConsole(service.database.url);
  shop = await service.business({ name: 'Acme Books', credits: 100 });
  ownerId = (await joinShop(service, shop.businessId, 'owner@shop.example', 'owner')).id;
  owner = await signedIn(service, ownerId);
  viewer = await signedIn(service, (await joinShop(service, shop.businessId, 'v@shop.example', 'viewer')).id);
});
afterAll(() => service.close());

const at = (path = '', other: Shop = shop): string => `/dashboard/${other.businessId}/settings${path}`;
const shown = (): Promise<Record<string, unknown>> => console.json('business', 'show', shop.businessId);

const asRead = (html: string): string =>
  html.replaceAll('&lt;', '<').replaceAll('&#34;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&');

/** The form as the page has it, with some fields changed. */
async function formOf(path: string, browser: MemberBrowser = owner): Promise<Record<string, string>> {
  const { text } = await browser.get(path);
  const fields: Record<string, string> = {};
  for (const [tag] of text.matchAll(/<input (?:[^>"]|"[^"]*")*>/g)) {
    const name = /name="([^"]*)"/.exec(tag)?.[1];
    if (name === undefined || /type="file"/.test(tag)) continue;
    const value = asRead(/value="([^"]*)"/.exec(tag)?.[1] ?? '');
    if (!/type="checkbox"/.test(tag)) fields[name] = value;
    // The server reads ticked boxes like one field with commas, which is what a form can hold here.
    else if (/ checked/.test(tag)) fields[name] = [fields[name] ?? [], value].flat().join(', ');
  }
  for (const [, name = '', options = ''] of text.matchAll(
    /<select id="[^"]*" name="([^"]*)"[^>]*>(.*?)<\/select>/gs,
  ))
    fields[name] = /<option value="([^"]*)" selected/.exec(options)?.[1] ?? '';
  return fields;
}
const save = async (path: string, changes: Record<string, string>): Promise<ReadPage> =>
  owner.post(path, { ...(await formOf(path)), ...changes });
const faultOf = (page: ReadPage, field: string): string =>
  new RegExp(`id="${field}-fault">([^<]*)<`).exec(page.text)?.[1] ?? '';

const audited = async (): Promise<unknown[]> => {
  const { rows } = await service.pool.query(
    `select actor, detail from audit_entries where business_id = $1 and action = 'settings.changed' order by id`,
    [shop.businessId],
  );
  return rows;
};

test('an owner changes name, colour, contact and forwarding, and the command line says so', async () => {
  const changes = {
    name: ' Kuusk & Mänd ',
    colour: '#FFCC00',
    support_email: 'Help@Shop.example',
    shop_url: ' https://Shop.example ',
    contact_email: 'Desk@Shop.example',
    reply_forward: 'link_only',
  };
  const saved = await save(at(), changes);
  expect([saved.status, saved.location]).toEqual([303, `${at()}?flash=saved`]);
  expect((await owner.get(`${at()}?flash=saved`)).text).toContain('Saved. It holds from now on.');
  expect(await shown()).toMatchObject({
    name: 'Kuusk & Mänd',
    colour: '#ffcc00',
    support_email: 'help@shop.example',
    shop_url: 'https://shop.example/',
    contact_email: 'desk@shop.example',
    reply_forward: 'link_only',
  });
  expect(await audited()).toEqual([
    {
      actor: `member:${ownerId}`,
      detail: {
        name: { from: 'Acme Books', to: 'Kuusk & Mänd' },
        colour: { from: null, to: '#ffcc00' },
        contactEmail: { from: null, to: 'desk@shop.example' },
        supportEmail: { from: null, to: 'help@shop.example' },
        shopUrl: { from: null, to: 'https://shop.example/' },
        replyForward: { from: 'off', to: 'link_only' },
      },
    },
  ]);
});

test('saving again changes nothing, says so and leaves no entry', async () => {
  const before = await audited();
  expect((await save(at(), {})).location).toBe(`${at()}?flash=same`);
  expect(await audited()).toEqual(before);
});

test('a blank colour, contact and what customers see of it are taken away', async () => {
  await save(at(), { colour: '', contact_email: '', support_email: '', shop_url: '' });
  expect(await shown()).toMatchObject({
    colour: null,
    contact_email: null,
    support_email: null,
    shop_url: null,
  });
  await save(at(), { colour: '#ffcc00' });
});

test('what is wrong stands beside its field, nothing typed is lost, and nothing is saved', async () => {
  const before = await shown();
  const refused = await save(at(), {
    name: HOSTILE.repeat(9),
    colour: 'yellow',
    shop_url: 'javascript:alert(1)',
    contact_email: 'nobody',
    reply_forward: 'sometimes',
  });
  expect(refused.status).toBe(422);
  expect(faultOf(refused, 'name')).toBe('This must be one line of 1 to 100 characters.');
  expect(faultOf(refused, 'colour')).toBe('This must be a colour such as #1f6feb, or blank.');
  expect(faultOf(refused, 'shop_url')).toBe(
    'This must be a web address such as https://shop.example, or blank.',
  );
  expect(faultOf(refused, 'contact_email')).toBe('This must be an email address, or blank.');
  expect(faultOf(refused, 'reply_forward')).toBe('This must be one of full, link_only, off.');
  expect(refused.text).toContain('value="yellow"');
  expect(refused.text).toContain('value="nobody"');
  expect(refused.text).not.toContain('<script>alert');
  expect(await shown()).toEqual(before);
});

test('a hostile name is text on every page', async () => {
  await save(at(), { name: HOSTILE });
  for (const path of ['', '/channels', '/members', '/audit', '/preview/mail', '/preview/inbox']) {
    const { status, text } = await owner.get(at(path));
    expect(status, path).toBe(200);
    expect(text, path).not.toContain('<script>alert');
  }
  await save(at(), { name: 'Kuusk & Mänd' });
});

describe('two tabs', () => {
  test('do not set back what the other one changed', async () => {
    const [first, second] = [await formOf(at()), await formOf(at())];
    await owner.post(at(), { ...first, name: 'First' });
    expect((await owner.post(at(), { ...second, colour: '#00aa00' })).location).toBe(`${at()}?flash=saved`);
    expect(await shown()).toMatchObject({ name: 'First', colour: '#00aa00' });
  });

  test('that change the same field: the second is told, and may save again', async () => {
    const [first, second] = [await formOf(at()), await formOf(at())];
    await owner.post(at(), { ...first, name: 'Theirs', colour: '#111111' });
    const refused = await owner.post(at(), { ...second, name: 'Mine', colour: '#222222' });
    expect(refused.status).toBe(422);
    expect(faultOf(refused, 'name')).toContain('Somebody changed this in the meantime, to “Theirs”.');
    expect(refused.text).toContain('value="Mine"');
    expect(await shown()).toMatchObject({ name: 'Theirs', colour: '#111111' });
    const again = { csrf: csrfIn(refused.text), name: 'Mine', was_name: 'Theirs' };
    expect((await owner.post(at(), again)).location).toBe(`${at()}?flash=saved`);
    expect(await shown()).toMatchObject({ name: 'Mine', colour: '#111111' });
  });

  test('that save the same thing agree', async () => {
    const [first, second] = [await formOf(at()), await formOf(at())];
    const saved = await Promise.all(
      [first, second].map((form) => owner.post(at(), { ...form, name: 'Same' })),
    );
    expect(saved.map(({ location }) => location).sort()).toEqual([
      `${at()}?flash=same`,
      `${at()}?flash=saved`,
    ]);
  });
});

describe('the preview', () => {
  test('shows what is typed, in the words of real messages, and saves nothing', async () => {
    const before = await shown();
    const form = { ...(await formOf(at())), name: 'Preview & Co', colour: '#aa0000' };
    const page = await owner.post(at('/preview'), form);
    expect(page.status).toBe(200);
    expect(page.text).toContain('Preview &amp; Co: your order #1001 has shipped.');
    expect(page.text).toContain('Update from Preview &amp; Co: your order #1001 has shipped.');
    const frames = [...page.text.matchAll(/<iframe[^>]*src="([^"]*)"/g)].map(([, src = '']) =>
      src.replaceAll('&amp;', '&'),
    );
    expect(frames).toHaveLength(2);
    const [mail, inbox] = [await owner.get(frames[0] ?? ''), await owner.get(frames[1] ?? '')];
    expect(mail.text).toContain('Preview &amp; Co');
    expect(mail.text).toContain('background-color:#aa0000');
    expect(inbox.text).toContain('Preview &amp; Co');
    expect(inbox.text).toMatch(/colour-aa0000-[0-9a-f]+\.css/);
    expect(await shown()).toEqual(before);
  });

  test('shows the saved name while the typed one cannot be used', async () => {
    const page = await owner.post(at('/preview'), { ...(await formOf(at())), name: '' });
    expect(faultOf(page, 'name')).not.toBe('');
    expect(page.text).toContain('Same: your order #1001 has shipped.');
  });

  test('says that WhatsApp cannot show a name like a web address', async () => {
    const page = await owner.post(at('/preview'), { ...(await formOf(at())), name: 'acme.com' });
    expect(page.text).toContain('None can be sent: WhatsApp’s template cannot show this name.');
  });

  test('is the mail that customers get', async () => {
    await save(at(), { name: 'Real Shop', colour: '#aa0000' });
    await shop.pushed({
      recipient_email: 'real@example.com',
      reference: '#1001',
      order_status: 'shipped',
      subject: 'Your parcel is on its way',
      body: 'Hello,\n\nyour parcel left us this morning, and should be with you tomorrow.',
    });
    const sent = await eventually(async () => {
      const { rows } = await service.pool.query<{ html: string }>(
        `select html from sandbox_messages where recipient = 'real@example.com'`,
      );
      if (!rows[0]) throw new Error('no mail yet');
      return rows[0].html;
    });
    const { text } = await owner.get(at('/preview/mail'));
    const links = (html: string): string =>
      html.replace(/https?:\/\/[^"<\s]*/g, '').replace('<base target="_blank">', '');
    expect(links(text)).toBe(links(sent));
  });

  test('can do nothing: no script, no form, in no other site', async () => {
    for (const frame of ['mail', 'inbox']) {
      const { headers } = await owner.get(at(`/preview/${frame}`));
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'self'");
      expect(policy).toMatch(/sandbox(?!.*allow-scripts)/);
      expect(policy).not.toContain('script-src');
    }
  });
});

describe('the language', () => {
  afterAll(() => save(at(), { language: 'en' }));

  test('is chosen by an owner, holds for the next push, and is in the audit log', async () => {
    expect((await owner.get(at())).text).toMatch(/<option value="en" selected[^>]*>English</);
    await save(at(), { language: 'fi' });
    expect((await owner.get(at())).text).toMatch(/<option value="fi" selected[^>]*>Finnish</);
    const preview = await shop.call('POST', '/api/v1/messages/preview', {
      body: { recipient_email: 'fi@example.com', subject: 'Order', body: 'Hello' },
    });
    expect(preview.body).toMatchObject({ language: 'fi' });
    expect((await owner.get(at('/audit'))).text).toContain('Language: en → fi');
  });

  test('is followed by the preview before it is saved: mail, text, WhatsApp and inbox', async () => {
    const before = await shown();
    const page = await owner.post(at('/preview'), { ...(await formOf(at())), name: 'Acme', language: 'de' });
    expect(page.text).toContain('Acme: Ihre Bestellung #1001 wurde versandt.');
    expect(page.text).toContain('Neues von Acme: Ihre Bestellung #1001 wurde versandt.');
    const frames = [...page.text.matchAll(/<iframe[^>]*src="([^"]*)"/g)].map(([, src = '']) =>
      src.replaceAll('&amp;', '&'),
    );
    expect((await owner.get(frames[0] ?? '')).text).toContain('Im Posteingang lesen');
    const inbox = await owner.get(frames[1] ?? '');
    expect(inbox.text).toContain('<html lang="de"');
    expect(inbox.text).toContain('Ihre Bestellung wurde versandt.');
    expect(await shown()).toEqual(before);
  });

  test('can only be one of ours', async () => {
    const page = await owner.post(at(), { ...(await formOf(at())), language: 'tlh' });
    expect(page.status).toBe(422);
    expect(faultOf(page, 'language')).toContain('This must be');
  });

  test('WhatsApp says which templates are not approved in it', async () => {
    await save(at(), { language: 'fi' });
    await setTranslationState(service.pool, 'fi', 'shipped', 'in_review');
    expect((await owner.get(at('/channels/whatsapp'))).text).toContain(
      'Not approved in Finnish yet, and sent in English: Shipped.',
    );
    await setTranslationState(service.pool, 'fi', 'shipped', 'approved');
  });
});

describe('channels', () => {
  const channels = at.bind(null, '/channels');

  test('countries and the hourly limit are changed, and pushes obey', async () => {
    const saved = await save(channels(), { countries: 'ee, fi', paid_per_recipient_hour: '3' });
    expect(saved.location).toBe(`${channels()}?flash=saved`);
    expect(await shown()).toMatchObject({ countries: ['EE', 'FI'], paid_per_recipient_hour: 3 });
    const push = { recipient_email: 'gb@example.com', recipient_phone: '+447700900123', channels: ['sms'] };
    expect(expectStatus(201, await shop.push(push))).toMatchObject({
      sms: { skipped_reason: 'country_not_allowed' },
    });
    await save(channels(), { countries: '', paid_per_recipient_hour: '' });
    expect(await shown()).toMatchObject({ countries: null, paid_per_recipient_hour: null });
  });

  test('a country that is none and a limit that is none are refused beside their fields', async () => {
    const refused = await save(channels(), { countries: `EE, ${HOSTILE}`, paid_per_recipient_hour: '0' });
    expect(refused.status).toBe(422);
    expect(faultOf(refused, 'countries')).toContain('two-letter country codes');
    expect(faultOf(refused, 'paid_per_recipient_hour')).toContain('a whole number from 1');
    expect(refused.text).toContain('value="EE, &#34;>&lt;script>');
    expect(await shown()).toMatchObject({ countries: null, paid_per_recipient_hour: null });
  });

  test('an owner switches the acknowledgement of replies off, and reads what the operator takes for it', async () => {
    await service.change(shop, { replyAckCredits: 2 });
    expect((await owner.get(channels())).text).toContain('which your operator sets: 2 credits.');
    expect((await owner.get(at('/channels/whatsapp'))).text).toContain(
      'The acknowledgement of a reply: 2 credits.',
    );
    const saved = await save(channels(), { reply_ack: 'off' });
    expect(saved.location).toBe(`${channels()}?flash=saved`);
    expect(await shown()).toMatchObject({ reply_ack: 'off', reply_ack_credits: 2, countries: null });
    expect((await owner.get(at('/channels/whatsapp'))).text).not.toContain('acknowledgement');
    expect((await owner.get(at('/audit'))).text).toContain('Acknowledgement of replies: on → off');
    expect(faultOf(await save(channels(), { reply_ack: 'never' }), 'reply_ack')).toBe(
      'This must be one of on, off.',
    );
    expect((await viewer.get(channels())).text).toContain('2 credits');
    await service.change(shop, { replyAck: 'on', replyAckCredits: 0 });
    expect((await owner.get(channels())).text).toContain('which your operator sets: free.');
  });

  test('the page of texts says what the shop’s countries ask of a name as the sender', async () => {
    const notes = async () => (await owner.get(at('/channels/sms'))).text;
    await setSender(service.pool, shop.businessId, 'sms', 'ACME');
    expect(await notes()).toContain('list the countries that you send SMS to');
    await service.change(shop, { ownCountries: ['ES', 'EE', 'US', 'FI'] });
    const listed = await notes();
    expect(listed).toContain('Spain: a name as sender must be registered since 15 September 2026;');
    expect(listed).toContain('Finland: a name as sender must be registered since 4 May 2026;');
    expect(listed.match(/a name as sender/g)).toHaveLength(2);
    await setSender(service.pool, shop.businessId, 'sms', 'Acme Books');
    expect(asRead(await notes())).toContain('The sender “Acme Books” is not 1 to 11 letters and digits');
    await setSender(service.pool, shop.businessId, 'sms', '+37255550134');
    expect(await notes()).not.toContain('as sender');
    await service.change(shop, { ownCountries: null });
    expect(await notes()).not.toContain('as senders');
    await removeSender(service.pool, shop.businessId, 'sms');
  });

  test('before texts are switched on, the page says what they need and what they cost', async () => {
    await service.change(shop, {
      smsMode: 'not_enabled',
      warmup: true,
      countriesCeiling: ['EE', 'GB', 'US'],
    });
    await setPrice(service.pool, 'GB', 3);
    await setPrice(service.pool, 'US', 9);
    await setSender(service.pool, shop.businessId, 'sms', 'ACME');
    const { text } = await owner.get(at('/channels/sms'));
    expect(text).toContain('Your own: ACME');
    expect(text).toContain('At most 50 SMS a day in the first two weeks');
    expect(text).toContain('To Estonia, United Kingdom only.');
    expect(text).toContain('You have 100 credits left.');
    const costs = text.slice(text.indexOf('id="costs"'));
    expect(costs).toMatch(/Estonia[\s\S]*>1<[\s\S]*United Kingdom[\s\S]*>3</);
    // Never texted, whatever the list says.
    expect(costs).not.toContain('United States');
    expect(text).toContain('It is now: not switched on yet.');
  });

  test('texts are switched on, once, and the next push sends one', async () => {
    const saved = await save(at('/channels/sms'), { mode: 'on' });
    expect(saved.location).toBe(`${channels()}?flash=sms_set`);
    expect(await shown()).toMatchObject({ sms: 'on', sms_enabled_at: expect.any(String) });
    expect((await save(at('/channels/sms'), { mode: 'on' })).location).toBe(`${channels()}?flash=same`);
    const push = { recipient_email: 'text@example.com', recipient_phone: PHONE_NUMBER };
    expect(expectStatus(201, await shop.push(push))).toMatchObject({ sms: { queued: true } });
  });

  test('WhatsApp says which templates are still in review', async () => {
    for (const status of ORDER_STATUSES) await setTemplateState(service.pool, status, 'approved');
    await setTemplateState(service.pool, 'shipped', 'in_review');
    expect((await owner.get(at('/channels/whatsapp'))).text).toContain(
      'Still in review, and not sent until WhatsApp has approved them: Shipped.',
    );
    await setTemplateState(service.pool, 'shipped', 'approved');
    expect((await owner.get(at('/channels/whatsapp'))).text).toContain(
      'WhatsApp has approved the templates of every order status.',
    );
  });

  test.each(['not_enabled', 'sometimes', ''])('the mode %j cannot be chosen', async (mode) => {
    const refused = await save(at('/channels/whatsapp'), { mode });
    expect(refused.status).toBe(422);
    expect(faultOf(refused, 'mode')).toContain('one of on, on_request, off');
  });

  test('a mode that somebody changed meanwhile is not overwritten unseen', async () => {
    const form = await formOf(at('/channels/whatsapp'));
    await service.change(shop, { whatsappMode: 'off' });
    const refused = await owner.post(at('/channels/whatsapp'), { ...form, mode: 'on' });
    expect(refused.status).toBe(422);
    expect(faultOf(refused, 'mode')).toContain('Somebody changed this in the meantime');
    expect(await shown()).toMatchObject({ whatsapp: 'off' });
  });

  test('there are two paid channels and no others', async () => {
    expect((await owner.get(at('/channels/email'))).status).toBe(404);
  });
});

describe('what tracking events tell', () => {
  const wording = at.bind(null, '/texts');
  const STANDARD = 'out_for_delivery, delivery_attempted, available_for_pickup, delivered, delayed';

  test('the form shows what holds, and saving it unchanged changes nothing', async () => {
    expect(await formOf(wording())).toMatchObject({
      tracking_nudges: STANDARD,
      was_tracking_nudges: STANDARD,
      was_tracking_channels: '',
      tracking_escalate_minutes: '',
    });
    expect((await save(wording(), {})).location).toBe(`${wording()}?flash=same`);
    expect((await owner.get(`${wording()}?flash=same`)).text).toContain('it was like this already');
  });

  test('an owner chooses the statuses, the channels and the wait; the log says it in words', async () => {
    const saved = await save(wording(), {
      tracking_nudges: 'delivered, exception',
      tracking_channels: 'sms',
      tracking_escalate_minutes: '30',
    });
    expect([saved.status, saved.location]).toEqual([303, `${wording()}?flash=saved`]);
    expect(await shown()).toMatchObject({
      tracking_nudges: ['delivered', 'exception'],
      tracking_channels: ['sms'],
      tracking_escalate_minutes: 30,
    });
    const log = (await owner.get(at('/audit'))).text;
    expect(log).toContain('pickup, delivered, delayed → delivered, exception');
    expect(log).toContain('Channels of a tracking message: only email → sms');
    expect(log).toContain('Unread minutes before the paid messages of tracking: none → 30');
  });

  test('a box that is left alone keeps an email that the command line named', async () => {
    await service.change(shop, { trackingChannels: ['email', 'sms'] });
    await save(wording(), { tracking_escalate_minutes: '60' });
    expect(await shown()).toMatchObject({
      tracking_channels: ['email', 'sms'],
      tracking_escalate_minutes: 60,
    });
  });

  test('without a ticked box nothing is told, and only by email', async () => {
    const { tracking_nudges: _nudges, tracking_channels: _channels, ...form } = await formOf(wording());
    const unticked = { ...form, tracking_escalate_minutes: '' };
    expect((await owner.post(wording(), unticked)).location).toBe(`${wording()}?flash=saved`);
    expect(await shown()).toMatchObject({
      tracking_nudges: [],
      tracking_channels: [],
      tracking_escalate_minutes: null,
    });
    expect((await owner.get(at('/audit'))).text).toContain(
      'Tracking statuses that make a message: delivered, exception → none',
    );
  });

  test.each([
    ['tracking_nudges', 'returned', 'This must be none, or some of label_created,'],
    ['tracking_nudges', HOSTILE, 'This must be none, or some of label_created,'],
    ['tracking_channels', 'sms, email', 'This must be none, or some of sms,whatsapp.'],
    ['tracking_escalate_minutes', '4', 'This must be a whole number from 5 to 10080, or blank.'],
    ['tracking_escalate_minutes', '10081', 'This must be a whole number from 5 to 10080, or blank.'],
    ['tracking_escalate_minutes', HOSTILE, 'This must be a whole number from 5 to 10080, or blank.'],
  ])('%s cannot be %j: it says so beside it, and nothing is saved', async (field, typed, fault) => {
    const before = await shown();
    const refused = await save(wording(), { tracking_nudges: 'delayed', [field]: typed });
    expect(refused.status).toBe(422);
    expect(faultOf(refused, field)).toContain(fault);
    expect(refused.text).not.toContain('<script>alert');
    if (field !== 'tracking_nudges') expect(refused.text).toMatch(/value="delayed" checked/);
    expect(await shown()).toEqual(before);
  });

  test('what somebody changed meanwhile is not overwritten unseen', async () => {
    const form = await formOf(wording());
    await service.change(shop, { trackingNudges: ['delivered'] });
    const refused = await owner.post(wording(), { ...form, tracking_nudges: 'delayed' });
    expect(faultOf(refused, 'tracking_nudges')).toContain(
      'Somebody changed this in the meantime, to “delivered”',
    );
    expect(await shown()).toMatchObject({ tracking_nudges: ['delivered'] });
  });

  test('who may not change it reads it', async () => {
    await service.change(shop, {
      trackingNudges: ['available_for_pickup', 'delivered'],
      trackingChannels: [],
    });
    const member = await signedIn(
      service,
      (await joinShop(service, shop.businessId, 'words@shop.example', 'member')).id,
    );
    for (const browser of [viewer, member]) {
      const { text } = await browser.get(wording());
      expect(text).toContain('<dd>Ready for pickup, Delivered</dd>');
      expect(text).toContain('An owner of the shop can change these.');
      expect(text).not.toContain('type="checkbox"');
    }
  });
});

test('what the operator decides is shown, and cannot be sent along', async () => {
  await service.change(shop, { plan: 'past_due', paused: true, emailAllowance: 1_234, dailyEmailCap: 99 });
  const { text } = await owner.get(at());
  expect(text).toContain('Decided by your operator');
  for (const fact of ['Past due', 'Paused', '1,234', '99', '100']) expect(text).toContain(fact);
  await save(at(), { name: 'Still', paused: 'false', plan: 'active', credits: '9999', was_plan: 'past_due' });
  expect(await shown()).toMatchObject({ name: 'Still', paused: true, plan: 'past_due' });
  await service.change(shop, { plan: 'active', paused: false });
});

test('a viewer and a member see everything and are offered nothing', async () => {
  const { id } = await joinShop(service, shop.businessId, 'm@shop.example', 'member');
  for (const browser of [viewer, await signedIn(service, id)]) {
    for (const path of ['', '/channels']) {
      const { status, text } = await browser.get(at(path));
      expect(status).toBe(200);
      expect(mainOf(text)).not.toMatch(/<form|Change …/);
      expect(text).toContain('An owner of the shop can change these.');
    }
    const texts = await browser.get(at('/channels/sms'));
    expect(texts.text).toContain('What it costs');
    expect(mainOf(texts.text)).not.toContain('<form');
  }
});

test('another shop’s settings are not found', async () => {
  const other = await service.business();
  for (const path of ['', '/channels', '/channels/sms', '/members', '/audit', '/preview/mail'])
    expect((await owner.get(at(path, other))).status, path).toBe(404);
});

test('an operator who changes a shop’s settings is visible in its log', async () => {
  const operator = await signedIn(service, (await joinAsOperator(service, 'op@waypost.example')).id);
  await operator.post(at(), { ...(await formOf(at(), operator)), name: 'By the operator' });
  const { text } = await viewer.get(at('/audit'));
  expect(text).toMatch(
    /The operator<\/bdi><span class="hint"> in the dashboard[\s\S]*Name: Still → By the operator/,
  );
  expect(text).not.toContain('op@waypost.example');
});
