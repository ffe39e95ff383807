import { describe, expect, test } from 'vitest';
import { hostileAddresses, hostileAnswers, hostileNames } from '../../test/support/hostileHosts.ts';
import { ENDPOINT_URL_MAX } from '../config/limits.ts';
import { checkEndpointHost, parseEndpointUrl, UNRESOLVED_NOTE } from './endpointUrl.ts';
import { createAllowList, type ResolveHost } from './publicAddress.ts';

const nobody = createAllowList([]);
const developer = createAllowList(['localhost:9000', '127.0.0.1:80', '[::1]:9000', 'hooks.dev:443']);

describe('a merchant’s URL is read', () => {
  const accepted: [string, string][] = [
    ['https://shop.example.com/hooks?from=waypost', 'https://shop.example.com/hooks?from=waypost'],
    ['https://shop.example.com', 'https://shop.example.com/'],
    ['HTTPS://Shop.Example.COM:443/Hooks', 'https://shop.example.com/Hooks'],
    ['https://shop.example.com:8443/', 'https://shop.example.com:8443/'],
    ['https://shop.example.com./hooks', 'https://shop.example.com/hooks'],
    ['https://shop.example.com/hooks#part', 'https://shop.example.com/hooks'],
    ['https://õie.example/ö', 'https://xn--ie-bka.example/%C3%B6'],
    ['https://my_shop.example.com/', 'https://my_shop.example.com/'],
    ['https://93.184.216.34/hooks', 'https://93.184.216.34/hooks'],
    ['https://[2606:4700::0001]/hooks', 'https://[2606:4700::1]/hooks'],
    ['https://0x5d.184.55330/', 'https://93.184.216.34/'],
  ];
  test.each(accepted)('%s', (text, normal) => {
    const verdict = parseEndpointUrl(text, { allowHosts: nobody });
    expect(verdict.ok ? verdict.url.href : verdict.fault).toBe(normal);
  });

  const long = `https://shop.example.com/${'a'.repeat(ENDPOINT_URL_MAX)}`;
  const refused: [string, string][] = [
    ['http://shop.example.com/', 'The URL must begin with https://.'],
    ['ftp://shop.example.com/', 'The URL must begin with https://.'],
    ['wss://shop.example.com/', 'The URL must begin with https://.'],
    ['file:///etc/passwd', 'The URL must begin with https://.'],
    ['javascript:alert(1)', 'The URL must begin with https://.'],
    ['', 'The URL is not valid.'],
    ['shop.example.com/hooks', 'The URL is not valid.'],
    ['/hooks', 'The URL is not valid.'],
    ['https://', 'The URL is not valid.'],
    ['https://shop.example.com:99999/', 'The URL is not valid.'],
    ['https://256.0.0.1/', 'The URL is not valid.'],
    ['https://[fe80::1%25eth0]/', 'The URL is not valid.'],
    ['https://ann:secret@shop.example.com/', 'The URL must not contain a user name or a password.'],
    ['https://ann@shop.example.com/', 'The URL must not contain a user name or a password.'],
    ['https://shop.example.com@127.0.0.1/', 'The URL must not contain a user name or a password.'],
    ['https://shop.example.com:80/', 'The port of the URL must be 443 or 8443.'],
    ['https://shop.example.com:25/', 'The port of the URL must be 443 or 8443.'],
    ['https://shop.example.com:0/', 'The port of the URL must be 443 or 8443.'],
    [' https://shop.example.com/', 'The URL must not contain white space or control characters.'],
    ['https://shop.exa\nmple.com/', 'The URL must not contain white space or control characters.'],
    ['https://shop.example.com/a\tb', 'The URL must not contain white space or control characters.'],
    ['https://shop.example.com/\u0000', 'The URL must not contain white space or control characters.'],
    ['https://shop..example.com/', 'The host of the URL is not valid.'],
    ['https://shop.example.com../', 'The host of the URL is not valid.'],
    ['https://.example.com/', 'The host of the URL is not valid.'],
    ['https://*.example.com/', 'The host of the URL is not valid.'],
    ['https://-shop.example.com/', 'The host of the URL is not valid.'],
    [`https://${'a'.repeat(64)}.example.com/`, 'The host of the URL is not valid.'],
    [`https://${'a.'.repeat(130)}example.com/`, 'The host of the URL is not valid.'],
    [long, 'The URL must have at most 2000 characters.'],
    [`https://shop.example.com/${'ö'.repeat(500)}`, 'The URL must have at most 2000 characters.'],
  ];
  test.each(refused)('and refused: %j', (text, fault) => {
    expect(parseEndpointUrl(text, { allowHosts: nobody })).toEqual({ ok: false, fault });
  });

  test('2,000 characters are not too many', () => {
    expect(parseEndpointUrl(long.slice(0, ENDPOINT_URL_MAX), { allowHosts: nobody }).ok).toBe(true);
    expect(parseEndpointUrl(long.slice(0, ENDPOINT_URL_MAX + 1), { allowHosts: nobody }).ok).toBe(false);
  });
});

describe('an allow-listed pair needs neither HTTPS nor a usual port', () => {
  const cases: [string, boolean][] = [
    ['http://localhost:9000/hooks', true],
    ['https://localhost:9000/hooks', true],
    ['http://127.0.0.1/hooks', true],
    ['http://[::1]:9000/hooks', true],
    ['http://localhost:9001/hooks', false],
    ['http://localhost/hooks', false],
    ['http://hooks.dev/', false],
    ['ftp://localhost:9000/', false],
    ['http://ann:secret@localhost:9000/', false],
  ];
  test.each(cases)('%s: %s', async (text, accepted) => {
    const verdict = parseEndpointUrl(text, { allowHosts: developer });
    expect(verdict.ok).toBe(accepted);
    if (!verdict.ok) return;
    const unused: ResolveHost = () => Promise.reject(new Error('resolved an exempt host'));
    const check = { resolve: unused, allowHosts: developer, unresolved: 'refuse' } as const;
    expect(await checkEndpointHost(verdict.url, check)).toEqual({ ok: true, note: null });
  });
});

describe('the host must be on the public internet when the endpoint is created', () => {
  const check = (
    text: string,
    resolve: ResolveHost,
    unresolved: 'refuse' | 'accept' = 'refuse',
    timeoutMs = 1_000,
  ) => checkEndpointHost(new URL(text), { resolve, allowHosts: nobody, unresolved, timeoutMs });
  const answering =
    (...addresses: string[]): ResolveHost =>
    () =>
      Promise.resolve(addresses);
  const unknown: ResolveHost = () => Promise.resolve([]);
  const NOT_PUBLIC = 'The host of the URL must be on the public internet, not at a private or local address.';

  /** The same for a name that leads to a private address and for one that leads nowhere. */
  const NOT_PUBLICLY_RESOLVED = 'The host name of the URL must resolve to public addresses only.';

  test.each([...hostileAddresses, ...hostileNames])(
    '%s is refused, even where unresolved names are accepted',
    async (host) => {
      const refused = { ok: false, fault: NOT_PUBLIC };
      expect(parseEndpointUrl(`https://${host}/`, { allowHosts: nobody })).toEqual(refused);
      expect(await check(`https://${host}/`, unknown, 'accept')).toEqual(refused);
    },
  );

  test.each(hostileAnswers.map((answers) => [answers]))(
    'a name that resolves to %j is refused',
    async (answers) => {
      const refused = { ok: false, fault: NOT_PUBLICLY_RESOLVED };
      expect(await check('https://shop.example/', answering(...answers))).toEqual(refused);
      expect(await check('https://shop.example/', answering(...answers), 'accept')).toEqual(refused);
    },
  );

  test('a name with public addresses only is accepted, and is asked for without its last dot', async () => {
    const asked: string[] = [];
    const resolve: ResolveHost = (name) => {
      asked.push(name);
      return Promise.resolve(['93.184.216.34', '2606:4700::1']);
    };
    expect(await check('https://shop.example./', resolve)).toEqual({ ok: true, note: null });
    expect(asked).toEqual(['shop.example']);
  });

  test('a public address is accepted without being resolved', async () => {
    expect(await check('https://93.184.216.34/', unknown)).toEqual({ ok: true, note: null });
    expect(await check('https://[2606:4700::1]/', unknown)).toEqual({ ok: true, note: null });
  });

  const unresolvable: [string, ResolveHost][] = [
    ['does not exist', unknown],
    ['has no addresses', answering()],
    ['takes too long', () => new Promise(() => {})],
  ];
  test.each(unresolvable)(
    'a name that %s is refused in production, accepted with a note by default',
    async (_, resolve) => {
      const refused = { ok: false, fault: NOT_PUBLICLY_RESOLVED };
      expect(await check('https://shop.example/', resolve, 'refuse', 20)).toEqual(refused);
      expect(await check('https://shop.example/', resolve, 'accept', 20)).toEqual({
        ok: true,
        note: UNRESOLVED_NOTE,
      });
    },
  );
});
