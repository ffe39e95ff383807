import { createPublicKey } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { DomainRecord } from '../../src/businesses/domains/records.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { nameServer, type Texts } from '../support/nameServer.ts';
import { postmarkEnv, smtpEnv } from '../support/providerEnvironments.ts';
import { eventually } from '../support/waiting.ts';
import { openConsole, type TestConsole } from './console.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

interface Shown {
  state: string | null;
  findings: { record: string; state: string; says: string }[];
  records: DomainRecord[];
  advice?: string;
}

let texts: Texts;
let cli: TestConsole;
let shop: string;
beforeEach(async () => {
  texts = {};
  const server = await nameServer({}, texts);
  cli = openConsole(database.url, { ...smtpEnv(2525), SMTP_HOST: 'mail.waypost.example' }, [server]);
  shop = (await cli.business()).id;
});

const shown = async (...argv: string[]): Promise<Shown & { code: number; out: string }> => {
  const { code, out } = await cli.run(...argv, '--json');
  return { ...JSON.parse(out), code, out };
};
const add = (address = 'orders@acme.example') => shown('sender', 'add', shop, 'email', address);
/** Again where a busy machine was too slow to answer. */
const check = () =>
  eventually(async () => {
    const found = await shown('sender', 'check', shop);
    expect(found.out).not.toContain('no answer in time');
    return found;
  });
const publish = (records: readonly DomainRecord[]) => {
  for (const { name, strings } of records) texts[name] = [strings];
};
const audited = async (): Promise<unknown[]> => {
  const { rows } = await database.pool.query(
    "select action, detail from audit_entries where business_id = $1 and action like 'sender%' order by id",
    [shop],
  );
  return rows;
};

describe('sender add', () => {
  test('gives the records to set, and once they are there the domain is verified', async () => {
    const added = await add(' Orders@Acme.example ');
    expect(added).toMatchObject({ code: 0, domain: 'acme.example', state: 'pending' });
    expect(added.records.map(({ record, name }) => [record, name])).toEqual([
      ['dkim', expect.stringMatching(/^wp-[0-9a-z]{10}\._domainkey\.acme\.example$/)],
      ['dmarc', '_dmarc.acme.example'],
      ['spf', 'acme.example'],
    ]);
    expect(added.records[2]?.value).toBe('v=spf1 a:mail.waypost.example ~all');
    const key = /^v=DKIM1; k=rsa; p=(.*)$/.exec(added.records[0]?.value ?? '')?.[1] ?? '';
    const { asymmetricKeyDetails } = createPublicKey({
      key: Buffer.from(key, 'base64'),
      format: 'der',
      type: 'spki',
    });
    expect(asymmetricKeyDetails?.modulusLength).toBe(2_048);

    publish(added.records);
    const checked = await check();
    expect(checked).toMatchObject({ code: 0, state: 'verified' });
    expect(checked.findings.map(({ state }) => state)).toEqual(['good', 'good', 'good']);
    expect(checked.records.map(({ record }) => record)).toEqual(['dkim']);
    expect(await cli.json('sender', 'list', shop)).toEqual({
      items: [{ channel: 'email', address: 'orders@acme.example', domain: 'verified' }],
    });
    expect(await audited()).toEqual([
      { action: 'sender.domain_added', detail: { channel: 'email', address: 'orders@acme.example' } },
      { action: 'sender.domain_verified', detail: { domain: 'acme.example' } },
    ]);
  });

  test('says to a person what to enter, whole and in parts', async () => {
    const text = await cli.text('sender', 'add', shop, 'email', 'orders@acme.example');
    const { records } = await check();
    for (const { name, value } of records) expect(text).toContain(`TXT  ${name}\n${value}\n`);
    for (const part of records[0]?.strings ?? []) expect(text).toContain(`"${part}"\n`);
    expect(text).toContain('mails go out from the shared sender');
  });

  test('asks for no DMARC record where there is one, nor for a second SPF record', async () => {
    texts['_dmarc.acme.example'] = [['v=DMARC1; p=reject']];
    texts['acme.example'] = [['v=spf1 include:_spf.elsewhere.example -all']];
    expect((await add()).records.map(({ record }) => record)).toEqual(['dkim']);
    expect((await add('a@mail.acme.example')).records.map(({ record }) => record)).toEqual(['dkim', 'spf']);
  });

  test('keeps the key of a domain for another address in it, and makes a new one for another domain', async () => {
    const [first] = (await add()).records;
    publish((await check()).records);
    await check();
    expect(await add('hello@acme.example')).toMatchObject({ state: 'verified', records: [first] });
    const other = await add('hello@other.example');
    expect(other.state).toBe('pending');
    expect(other.records[0]?.value).not.toBe(first?.value);
  });

  test('keeps the private key to itself, sealed', async () => {
    const { out } = await add();
    expect(out).not.toMatch(/PRIVATE|sealed/);
    const { rows } = await database.pool.query('select * from sender_domains where business_id = $1', [shop]);
    expect(rows[0].private_key_sealed.toString('latin1')).not.toMatch(/PRIVATE|MII/);
  });

  test('with a provider that signs by itself stores nothing, and says what to do there', async () => {
    const server = await nameServer({}, texts);
    cli = openConsole(database.url, postmarkEnv('https://api.example'), [server]);
    const { code, state, findings, advice } = await add();
    expect({ code, state }).toEqual({ code: 1, state: null });
    expect(findings).toMatchObject([{ record: 'dmarc', state: 'missing' }]);
    expect(advice).toMatch(
      /docs\/providers\/postmark\.md\)\. Then run: sender set \S+ email orders@acme\.example$/,
    );
    expect(await cli.json('sender', 'list', shop)).toEqual({ items: [] });
  });

  test('beside such a provider, it says to verify the domain there, too', async () => {
    const both = { ...postmarkEnv('https://api.example'), ...smtpEnv(2525), EMAIL_PROVIDER: 'smtp,postmark' };
    cli = openConsole(database.url, both, [await nameServer({}, texts)]);
    expect(await add()).toMatchObject({
      code: 0,
      state: 'pending',
      advice: expect.stringMatching(
        /^EMAIL_PROVIDER names postmark, which signs .*: verify acme\.example there/,
      ),
    });
  });

  test.each<[string, string[], RegExp]>([
    ['another channel', ['add', 'SHOP', 'sms', '+37255550134'], /^CHANNEL must be one of email/],
    ['no address', ['add', 'SHOP', 'email', 'acme.example'], /^ADDRESS must be an email address/],
    ['an unknown business', ['add', 'nobody', 'email', 'a@b.example'], /^No business has the id/],
    ['no domain to check', ['check', 'SHOP'], /^The business has no domain that is checked: sender add/],
  ])('%s is a mistake', async (_what, words, sentence) => {
    const asked = words.map((word) => (word === 'SHOP' ? shop : word));
    expect(await cli.mistake('sender', ...asked)).toMatch(sentence);
  });
});

test('sender set and sender remove end the checks of a domain', async () => {
  for (const words of [
    ['set', shop, 'email', 'orders@acme.example'],
    ['remove', shop, 'email'],
  ]) {
    await add();
    await cli.json('sender', ...words);
    expect(await cli.mistake('sender', 'check', shop)).toMatch(/no domain/);
  }
});

describe('what is found', () => {
  test('a record under the domain twice', async () => {
    const [dkim] = (await add()).records;
    texts[`${dkim?.name}.acme.example`] = [dkim?.strings ?? []];
    const { code, findings } = await check();
    expect(code).toBe(1);
    expect(findings[0]?.says).toMatch(/but one at .*\.acme\.example\.acme\.example: the panel added/);
  });

  test('servers that cannot answer change nothing', async () => {
    const { records } = await add();
    publish(records);
    expect(await check()).toMatchObject({ state: 'verified' });
    texts[records[0]?.name ?? ''] = 'SERVFAIL';
    const { state, findings } = await check();
    expect(state).toBe('verified');
    expect(findings[0]).toMatchObject({ state: 'unknown', says: expect.stringContaining('(SERVFAIL)') });
  });

  test('check says it of every shop, and never fails for it', async () => {
    const { records } = await add();
    const found = async () => {
      const { code, out } = await cli.run('check', '--json');
      const { findings }: { findings: { part: string; state: string; says: string }[] } = JSON.parse(out);
      const ours = findings.filter(
        ({ part, says }) => part === 'email' && says.includes(records[0]?.name ?? ''),
      );
      return { code, states: ours.map(({ state }) => state) };
    };
    expect((await found()).states).toEqual(['warning']);
    publish(records);
    expect((await found()).states).toEqual(['good']);
  });
});
