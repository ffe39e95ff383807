import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/kit/ids.ts';
import { median } from '../support/statistics.ts';
import { type InboxRecipient, type InboxServer, signInToInbox, startInboxServer } from './inboxServer.ts';

let shop: InboxServer;
beforeAll(async () => {
  shop = await startInboxServer();
});
afterAll(() => shop.close());

const newPerson = async (name?: string): Promise<InboxRecipient> =>
  (await shop.business(name ? { name } : {})).recipient();
const subjectsIn = (page: string): string[] =>
  [...page.matchAll(/<span class="subject" dir="auto">([^<]*)</g)].map(([, subject]) => subject ?? '');

describe('the list', () => {
  test('is newest first, and one order reads as one story with its status', async () => {
    const person = await newPerson();
    await person.message({ subject: 'Confirmed A', reference: 'A', orderStatus: 'confirmed' });
    await person.message({ subject: 'About nothing' });
    await person.message({ subject: 'Confirmed B', reference: 'B', orderStatus: 'confirmed' });
    await person.message({ subject: 'Shipped A', reference: 'A', orderStatus: 'shipped' });
    const { body } = await (await signInToInbox(shop, await person.link(null))).get('/inbox');
    expect(subjectsIn(body)).toEqual(['Shipped A', 'Confirmed A', 'Confirmed B', 'About nothing']);
    expect(body.match(/Your order has shipped\./g)).toHaveLength(1);
    expect(body.match(/Your order is confirmed\./g)).toHaveLength(1);
  });

  test('says when a message was updated, what was retracted and what replaced what', async () => {
    const person = await newPerson();
    const newer = await person.message({ subject: 'Thursday it is', opened: true });
    await person.message({
      subject: 'Wednesday',
      status: 'obsolete',
      replacedBy: newer,
      opened: true,
      body: 'Old text',
    });
    await person.message({ subject: 'Oops', status: 'retracted', opened: true, body: 'Still readable' });
    await person.message({ subject: 'Moved', updatedLater: 60_000, opened: true });
    const { body } = await (await signInToInbox(shop, await person.link(null))).get('/inbox');
    expect(body).toMatch(/Updated <time datetime="[^"]+Z">/);
    expect(body).toContain('This message was retracted');
    expect(body).toContain('Still readable');
    expect(body).toMatch(/Replaced by\s*<a href="\/inbox\?open=\w+#at-\w+" dir="auto">Thursday it is<\/a>/);
    expect(body).toContain('Old text');
  });

  test('never names a message to somebody else as what replaced one', async () => {
    const business = await shop.business();
    const [mari, jaan] = [await business.recipient(), await business.recipient()];
    const foreign = await jaan.message({ subject: 'For Jaan alone' });
    await mari.message({ status: 'obsolete', replacedBy: foreign, opened: true });
    const { body } = await (await signInToInbox(shop, await mari.link(null))).get('/inbox');
    expect(body).not.toContain('Jaan');
    expect(body).toContain('out of date');
  });

  test('shows a message that is too old for the first page on top when it was what the person came for', async () => {
    const person = await newPerson();
    const old = await person.message({ subject: 'The old one', body: 'Old but wanted' });
    for (let count = 0; count < 25; count += 1) await person.message({ subject: `Newer ${count}` });
    const reader = await signInToInbox(shop, await person.link(old));
    const { body } = await reader.get(`/inbox?open=${old}`);
    expect(subjectsIn(body)[0]).toBe('The old one');
    expect(body).toContain('Old but wanted');
    expect(subjectsIn(body)).toHaveLength(21);
  });

  test('says so when there is nothing', async () => {
    const person = await newPerson();
    expect((await (await signInToInbox(shop, await person.link(null))).get('/inbox')).body).toContain(
      'Nothing here yet',
    );
  });
});

describe('opening', () => {
  test('a text is not in the page until its message is opened, and a GET opens nothing', async () => {
    const person = await newPerson();
    const message = await person.message({ subject: 'Closed', body: 'The inside' });
    const reader = await signInToInbox(shop, await person.link(null));
    for (const path of ['/inbox', `/inbox?open=${message}`]) {
      expect((await reader.get(path)).body).not.toContain('The inside');
    }
    expect(await shop.rows(`select opened_at from messages where id = $1`, message)).toEqual([
      { opened_at: null },
    ]);
    expect(await shop.rows(`select 1 from events where message_id = $1`, message)).toEqual([]);
  });

  test('unfolding a message opens it once, notifies the merchant once and cancels the held nudges', async () => {
    const person = await newPerson();
    const message = await person.message({ body: 'The inside' });
    const armed = await person.send({
      messageId: message,
      channel: 'sms',
      state: 'held',
      escalateMinutes: 5,
    });
    const reader = await signInToInbox(shop, await person.link(null));

    const opened = await reader.submit(`/inbox/messages/${message}/open`);
    expect(opened.statusCode).toBe(303);
    expect(opened.headers.location).toBe(`/inbox?open=${message}#at-${message}`);
    const again = await reader.submit(`/inbox/messages/${message}/open`, { part: 'message' });
    expect(again.body).toContain('The inside');
    expect(again.body).not.toContain('<html');

    expect(await shop.rows(`select type from events where message_id = $1`, message)).toEqual([
      { type: 'message.opened' },
    ]);
    expect(await shop.rows(`select state from sends where id = $1`, armed)).toEqual([{ state: 'cancelled' }]);
  });

  test('a message that an update made unread again is opened like a new one, and the merchant hears nothing new', async () => {
    const person = await newPerson();
    const message = await person.message({ body: 'The inside', opened: true });
    const reader = await signInToInbox(shop, await person.link(null));
    expect((await reader.get('/inbox')).body).toContain('The inside');
    await shop.rows('update messages set unread_again = true where id = $1', message);
    const armed = await person.send({
      messageId: message,
      channel: 'sms',
      state: 'held',
      escalateMinutes: 5,
    });
    const page = await reader.get(`/inbox?open=${message}`);
    expect(page.body).not.toContain('The inside');
    expect(page.body).toContain('mark-new');

    expect((await reader.submit(`/inbox/messages/${message}/open`)).statusCode).toBe(303);
    expect((await reader.get('/inbox')).body).toContain('The inside');
    expect(await shop.rows('select state, reason from sends where id = $1', armed)).toEqual([
      { state: 'cancelled', reason: 'opened_first' },
    ]);
    expect(await shop.rows('select 1 from events where message_id = $1', message)).toEqual([]);
  });

  test('reading what was read before writes nothing', async () => {
    const person = await newPerson();
    const message = await person.message();
    const token = await person.link(message);
    const reader = await signInToInbox(shop, token);
    const written = () =>
      shop.rows(
        `select m.xmin::text, (select count(*) from message_events e where e.message_id = m.id) as history
         from messages m where m.id = $1`,
        message,
      );
    const before = await written();
    await reader.submit(`/inbox/messages/${message}/open`);
    await signInToInbox(shop, token);
    await reader.get(`/inbox?open=${message}`);
    expect(await written()).toEqual(before);
  });

  test('a webhook endpoint that listens is woken', async () => {
    const person = await newPerson();
    await shop.rows(
      `insert into webhook_endpoints (business_id, id, url, secret_sealed, secret_masked, created_at)
       values ($1, 'endpoint00001', 'https://a.example', '', '', now())`,
      person.businessId,
    );
    const before = shop.wakeups.events;
    await signInToInbox(shop, await person.link(await person.message()));
    expect(shop.wakeups.events).toBe(before + 1);
  });

  test.each(['nonsense', 'zzzzzzzzzzzzzzzzzzzzzzzz', '..%2F..', '%00', "'; drop table messages"])(
    'a message called %j is not found',
    async (id) => {
      const person = await newPerson();
      const reader = await signInToInbox(shop, await person.link(null));
      const answer = await reader.submit(`/inbox/messages/${encodeURIComponent(id)}/open`);
      expect(answer.statusCode).toBe(404);
    },
  );
});

describe('pages', () => {
  test('of twenty follow each other without repeating or hiding a message, also while new ones arrive', async () => {
    const person = await newPerson();
    for (let count = 0; count < 45; count += 1) await person.message({ subject: `Message ${count}` });
    const reader = await signInToInbox(shop, await person.link(null));
    const seen: string[] = [];
    let path: string | undefined = '/inbox';
    while (path !== undefined) {
      const { body } = await reader.get(path);
      seen.push(...subjectsIn(body));
      await person.message({ subject: 'Just arrived' });
      path = /<a href="(\/inbox\?before=\w+)">Older messages/.exec(body)?.[1];
    }
    expect(seen).toEqual(Array.from({ length: 45 }, (_, index) => `Message ${44 - index}`));
  });

  test('an order that goes on from the page before says so, and shows where it is now', async () => {
    const person = await newPerson();
    await person.message({ subject: 'Begun', reference: 'A-1', orderStatus: 'confirmed' });
    for (let count = 0; count < 19; count += 1) await person.message();
    await person.message({ subject: 'There', reference: 'A-1', orderStatus: 'delivered' });
    const reader = await signInToInbox(shop, await person.link(null));
    const older = /\/inbox\?before=\w+/.exec((await reader.get('/inbox')).body)?.[0] ?? '';
    const { body } = await reader.get(older);
    expect(subjectsIn(body)).toEqual(['Begun']);
    expect(body).toContain('Your order has been delivered.');
    expect(body).toContain('newer messages');
  });

  test.each([
    'before=',
    'before=%00',
    'before=a&before=b',
    'before[x]=1',
    'open=%F0%9F',
    'before=zzzzzzzzzzzzzzzz&open=0',
  ])('/inbox?%s is a page all the same', async (query) => {
    const person = await newPerson();
    await person.message();
    const reader = await signInToInbox(shop, await person.link(null));
    expect((await reader.get(`/inbox?${query}`)).statusCode).toBe(200);
  });

  test('the first of 10,000 messages comes as fast as the first of 10', async () => {
    const [few, many] = [await newPerson(), await newPerson()];
    const fill = (person: InboxRecipient, count: number) =>
      shop.rows(
        `insert into messages (business_id, id, recipient_id, subject, body, kind, status, reference, created_at, updated_at, opened_at)
         select $1, $2 || lpad(n::text, 8, '0'), $3, 'Message ' || n, repeat('Text. ', 50), 'one_off', 'active', 'R' || n % 50, now(), now(), now()
         from generate_series(1, $4::int) n`,
        ...[person.businessId, newId(shop.now()).slice(0, 12), person.id, count],
      );
    await fill(few, 10);
    await fill(many, 10_000);
    await shop.rows('analyze messages');
    const timed = async (person: InboxRecipient) => {
      const reader = await signInToInbox(shop, await person.link(null));
      return async () => {
        const started = performance.now();
        await reader.get('/inbox');
        return performance.now() - started;
      };
    };
    const [readFew, readMany] = [await timed(few), await timed(many)];
    const ofFew: number[] = [];
    const ofMany: number[] = [];
    // In turn, so that what else the machine does slows both.
    for (let count = 0; count < 21; count += 1) {
      ofFew.push(await readFew());
      ofMany.push(await readMany());
    }
    // Twice the messages on the page, so somewhat more to write; a walk through 10,000 would be far beyond.
    expect(median(ofMany)).toBeLessThan(median(ofFew) * 3 + 5);
  });
});

describe('whatever a merchant writes', () => {
  const hostile = [
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    '</title></textarea><svg/onload=alert(1)>',
    '<style>body{display:none}</style>',
    '{{constructor.constructor("alert(1)")()}}',
    '<a href="javascript:alert(1)">x</a>',
    '&lt;script&gt;',
  ];

  test.each(hostile)('%j stays text', async (text) => {
    const person = await newPerson(text);
    const message = await person.message({
      subject: text,
      body: `${text} https://a.example/"onclick=alert(1) javascript:alert(1) data:text/html,x`,
      reference: text.replace(/[^A-Za-z0-9#_./-]/g, ''),
      opened: true,
    });
    const reader = await signInToInbox(shop, await person.link(message));
    for (const path of [`/inbox?open=${message}`, '/inbox/choices', '/inbox/choices/unsubscribe']) {
      const { body } = await reader.get(path);
      expect(body).not.toMatch(/<(script|style|svg)(?! src="\/inbox-assets\/)/i);
      expect(body).not.toMatch(/<[^>]+\son\w+=/i);
      expect(body).not.toMatch(/href="(?!\/|https?:\/\/|#)/i);
      expect(body).not.toContain('<img src=x');
    }
    const arrival = await shop.app.inject({ url: `/i/${await person.link(message)}` });
    expect(arrival.body).not.toContain(text.includes('<') ? text : '\u0000');
  });

  test('links in a text are clickable and safe', async () => {
    const person = await newPerson();
    const message = await person.message({ body: 'Track: https://track.example/p?a=1&b=2.' });
    const { body } = await (await signInToInbox(shop, await person.link(message))).get(
      `/inbox?open=${message}`,
    );
    expect(body).toContain(
      '<a href="https://track.example/p?a=1&amp;b=2" rel="noopener noreferrer nofollow" target="_blank" dir="ltr">https://track.example/p?a=1&amp;b=2</a>',
    );
  });
});

describe('reaching the shop', () => {
  const SHOP = {
    supportEmail: 'help+a@shop.example',
    shopUrl: 'https://xn--ksit-soab8k.example/abi/?a=1&b=%222',
  };

  test('its address and its website are on the inbox and on the settings', async () => {
    const person = await (await shop.business(SHOP)).recipient();
    const reader = await signInToInbox(shop, await person.link(null));
    for (const path of ['/inbox', '/inbox/choices']) {
      const { body } = await reader.get(path);
      expect(body).toContain('<strong>Contact the shop</strong>');
      expect(body).toContain(
        '<a href="mailto:help%2Ba@shop.example" rel="noopener noreferrer nofollow" dir="ltr">help+a@shop.example</a>',
      );
      expect(body).toContain(
        '<a href="https://xn--ksit-soab8k.example/abi/?a=1&amp;b=%222" rel="noopener noreferrer nofollow" target="_blank" dir="ltr">',
      );
    }
  });

  test('one of them alone, or none', async () => {
    const bodyFor = async (facts: Partial<typeof SHOP>) => {
      const person = await (await shop.business(facts)).recipient();
      return (await (await signInToInbox(shop, await person.link(null))).get('/inbox')).body;
    };
    const byMail = await bodyFor({ supportEmail: SHOP.supportEmail });
    expect(byMail).toContain('mailto:');
    expect(byMail).not.toContain('target="_blank"');
    expect(await bodyFor({ shopUrl: 'https://shop.example/' })).toContain('>shop.example</a>');
    expect(await bodyFor({})).not.toContain('Contact the shop');
  });
});

test('addresses, numbers and the order’s tracking numbers in a message can be clicked', async () => {
  const person = await newPerson();
  const trackingUrl = 'https://track.example/CC1';
  await person.shipment('#9', { trackingNumber: 'CC123456789EE', trackingUrl });
  await person.shipment('#9', { trackingNumber: 'NOWHERE12345' });
  const body = 'CC123456789EE or NOWHERE12345? Write to help@shop.example or call +372 5555 0134.';
  const about = await person.message({ reference: '#9', body });
  await person.message({ body, opened: true });
  const reader = await signInToInbox(shop, await person.link(null));
  const linksIn = (html: string) =>
    [...html.matchAll(/<a href="((?:mailto|tel|https):[^"]*)"[^>]*>([^<]*)</g)].map(([, href, text]) => [
      text,
      href,
    ]);
  const reached = [
    ['help@shop.example', 'mailto:help@shop.example'],
    ['+372 5555 0134', 'tel:+37255550134'],
  ];
  const opened = await reader.submit(`/inbox/messages/${about}/open`, { part: 'message' });
  expect(linksIn(opened.body)).toEqual([['CC123456789EE', trackingUrl], ...reached]);
  const page = (await reader.get('/inbox')).body;
  const texts = page.split('<div class="body"').slice(1).map(linksIn);
  expect(texts).toEqual([reached, [['CC123456789EE', trackingUrl], ...reached]]);
});
