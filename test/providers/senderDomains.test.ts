import { afterEach, expect, test } from 'vitest';
import { checkDomain, startDomainChecks } from '../../src/businesses/domains/check.ts';
import type { DomainRecord } from '../../src/businesses/domains/records.ts';
import { readDomain } from '../../src/businesses/domains/sql.ts';
import { DAY, HOUR, later, MINUTE } from '../../src/kit/clock.ts';
import { openConsole } from '../cli/console.ts';
import { nameServer, type Texts } from '../support/nameServer.ts';
import { dkimKey, dkimPublicKey } from '../support/providerKeys.ts';
import { recordingLog } from '../support/recordingLog.ts';
import type { Shop } from '../support/shop.ts';
import { eventually } from '../support/waiting.ts';
import { sendWhen, startProviderService } from './providerService.ts';
import { readMail, verifyDkim } from './receivedMail.ts';
import { smtpServer } from './smtpServer.ts';

/** A real mail server, a real name server, and a shop whose operator adds a domain. */
const SHARED = {
  SMTP_DKIM_DOMAIN: 'waypost.example',
  SMTP_DKIM_SELECTOR: 'nudges',
  SMTP_DKIM_PRIVATE_KEY: dkimKey,
};

let stop = async (): Promise<void> => {};
afterEach(() => stop());

async function street() {
  const mail = await smtpServer();
  const texts: Texts = {};
  const server = await nameServer({}, texts);
  const service = await startProviderService({ ...mail.env, ...SHARED }, { nameServers: [server] });
  const operator = openConsole(service.database.url, { ...mail.env, SECRET_KEY: service.secretKey }, [
    server,
  ]);
  const shop = await service.business({ name: 'Acme Books' });
  const add = async (): Promise<DomainRecord[]> => {
    const { out } = await operator.run(
      'sender',
      'add',
      shop.businessId,
      'email',
      'orders@acme.example',
      '--json',
    );
    return JSON.parse(out).records;
  };
  const publish = (records: readonly DomainRecord[]): void => {
    for (const { name, strings } of records) texts[name] = [strings];
  };
  /** A check some time from now, as the daily one would make it; again where a busy machine was too slow to answer. */
  const checkIn = (milliseconds: number) =>
    eventually(async () => {
      const clock = { now: () => later(service.clock.now(), milliseconds) };
      const deps = { pool: service.pool, clock, nameServers: [server] };
      const state = await checkDomain(deps, shop.businessId, 'waypost', 0);
      const [domain] = await readDomain(service.pool, shop.businessId);
      expect(JSON.stringify(domain?.findings)).not.toContain('no answer in time');
      return state;
    });
  return { mail, texts, server, service, operator, shop, add, publish, checkIn };
}

type Street = Awaited<ReturnType<typeof street>>;

/** The next mail of the shop, as it arrived. */
async function nextMail({ service, mail }: Street, shop: Shop) {
  const before = mail.arrived.length;
  const { id } = await shop.pushed({ subject: `Your order ${before}` });
  await sendWhen(service, id, 'email', { state: 'accepted' });
  const arrived = mail.arrived[before];
  if (!arrived) throw new Error('nothing arrived');
  return { ...arrived, from: readMail(arrived.raw).headers.get('from'), envelope: arrived.from };
}

const publicKeyIn = (records: readonly DomainRecord[]): string =>
  /p=(.*)$/.exec(records.find(({ record }) => record === 'dkim')?.value ?? '')?.[1] ?? '';

test('mail goes out from the shared sender until the domain is verified, then from it, signed with its key', async () => {
  const here = await street();
  const records = await here.add();
  const before = await nextMail(here, here.shop);
  expect(before.from).toBe('Acme Books <updates@waypost.example>');
  expect(verifyDkim(before.raw, dkimPublicKey)).toMatchObject({ valid: true });

  here.publish(records);
  expect(await here.checkIn(0)).toBe('verified');
  const after = await nextMail(here, here.shop);
  expect(after.from).toBe('Acme Books <orders@acme.example>');
  const { valid, tags, signed } = verifyDkim(after.raw, publicKeyIn(records));
  expect(valid).toBe(true);
  expect([tags.get('d'), `${tags.get('s')}._domainkey.acme.example`]).toEqual([
    'acme.example',
    records[0]?.name,
  ]);
  expect(signed).toEqual(expect.arrayContaining(['from', 'list-unsubscribe', 'list-unsubscribe-post']));

  const other = await nextMail(here, await here.service.business({ name: 'Other' }));
  expect(verifyDkim(other.raw, dkimPublicKey)).toMatchObject({ valid: true });
  expect(JSON.stringify(here.service.logged)).not.toMatch(/PRIVATE KEY/);
});

test('a verified domain that two checks a day apart do not find is not used any more, and is again once it is back', async () => {
  const here = await street();
  const records = await here.add();
  here.publish(records);
  await here.checkIn(0);
  const [dkim] = records;
  delete here.texts[dkim?.name ?? ''];
  expect(await here.checkIn(HOUR)).toBe('verified');
  expect((await nextMail(here, here.shop)).from).toContain('orders@acme.example');
  here.texts[dkim?.name ?? ''] = 'SERVFAIL';
  expect(await here.checkIn(2 * DAY)).toBe('verified');
  delete here.texts[dkim?.name ?? ''];
  expect(await here.checkIn(2 * DAY)).toBe('broken');
  expect((await nextMail(here, here.shop)).from).toContain('updates@waypost.example');
  here.publish(records);
  expect(await here.checkIn(3 * DAY)).toBe('verified');
  expect((await nextMail(here, here.shop)).from).toContain('orders@acme.example');
  const { rows } = await here.service.pool.query(
    "select actor, action from audit_entries where action like 'sender.domain%' order by id",
  );
  expect(rows).toEqual([
    { actor: 'operator', action: 'sender.domain_added' },
    { actor: 'waypost', action: 'sender.domain_verified' },
    { actor: 'waypost', action: 'sender.domain_broken' },
    { actor: 'waypost', action: 'sender.domain_verified' },
  ]);
});

test('every domain is checked once a day, by one of several processes', async () => {
  const here = await street();
  const records = await here.add();
  here.publish(records);
  const logged: Parameters<typeof recordingLog>[0] = [];
  let aheadMs = 0;
  const clock = { now: () => later(here.service.clock.now(), aheadMs) };
  const start = () =>
    startDomainChecks({
      pool: here.service.pool,
      clock,
      log: recordingLog(logged),
      nameServers: [here.server],
    });
  const loops = [start(), start()];
  stop = async () => void (await Promise.all(loops.map((loop) => loop.stop())));
  const round = () => Promise.all(loops.map((loop) => loop.drain()));
  await round();
  expect(logged).toHaveLength(0);
  aheadMs = DAY + MINUTE;
  await round();
  await eventually(async () => expect(logged).toHaveLength(1));
  await round();
  expect(logged).toMatchObject([{ fields: { business_id: here.shop.businessId, state: 'verified' } }]);
});

test('an address that the operator sets is used as it is, with the shared signature', async () => {
  const here = await street();
  await here.add();
  await here.operator.json('sender', 'set', here.shop.businessId, 'email', 'orders@acme.example');
  const mail = await nextMail(here, here.shop);
  expect(mail.from).toBe('Acme Books <orders@acme.example>');
  expect(verifyDkim(mail.raw, dkimPublicKey)).toMatchObject({ valid: true });
});
