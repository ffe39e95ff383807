import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SecureVersion } from 'node:tls';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  authority,
  expiredCertificate,
  otherNameCertificate,
  receiverKey,
  selfSignedCertificate,
  trustedCertificate,
} from '../../test/support/certificates.ts';
import { hostileAddresses, hostileAnswers, hostileNames } from '../../test/support/hostileHosts.ts';
import { canary, startLoopbackServer } from '../../test/support/loopback.ts';
import { checkEndpointHost } from './endpointUrl.ts';
import { createGuardedClient, type Guard } from './guardedClient.ts';
import { postWebhook } from './post.ts';
import { createAllowList, type ResolveHost } from './publicAddress.ts';

const nobody = createAllowList([]);
const answering =
  (...addresses: string[]): ResolveHost =>
  () =>
    Promise.resolve(addresses);
const PRIVATE = 'the host does not resolve to a public address';

describe('no way into the private network', () => {
  test('the corpus is as large as promised', () => {
    expect(new Set([...hostileAddresses, ...hostileNames]).size).toBeGreaterThanOrEqual(60);
  });

  test.each(['https', 'http'])('no hostile host reaches a listener on loopback by %s', async (scheme) => {
    const trap = await canary();
    const post = poster({ resolve: answering('127.0.0.1', '::1'), ports: new Set([trap.port]) });
    for (const host of [...hostileAddresses, ...hostileNames]) {
      const answer = await post(`${scheme}://${host}:${trap.port}/`);
      expect([host, answer.error]).toEqual([
        host,
        scheme === 'https' ? PRIVATE : 'refused: the URL is not HTTPS',
      ]);
    }
    expect(trap.connections()).toBe(0);
  });

  test('no answer of a hostile name server does, mixed with public addresses or not', async () => {
    const trap = await canary();
    for (const addresses of hostileAnswers) {
      const post = poster({ resolve: answering(...addresses), ports: new Set([trap.port]) });
      const answer = await post(`https://shop.example:${trap.port}/`);
      expect([addresses, answer.error]).toEqual([addresses, PRIVATE]);
    }
    expect(trap.connections()).toBe(0);
  });

  test('a name that was public when it was checked and is private when it is called gains nothing', async () => {
    const trap = await canary();
    const answers = [['93.184.216.34'], ['127.0.0.1'], ['::1']];
    const rebinding: ResolveHost = () => Promise.resolve(answers.shift() ?? ['127.0.0.1']);
    const url = `https://rebind.example:${trap.port}/`;
    const check = { resolve: rebinding, allowHosts: nobody, unresolved: 'refuse' } as const;
    expect(await checkEndpointHost(new URL(url), check)).toEqual({ ok: true, note: null });

    const post = poster({ resolve: rebinding, ports: new Set([trap.port]) });
    for (let attempt = 0; attempt < 3; attempt += 1) expect((await post(url)).error).toBe(PRIVATE);
    expect(trap.connections()).toBe(0);
  });

  test('the trap does catch: without the rule an address and a name both reach it', async () => {
    const trap = await canary();
    const post = poster({
      resolve: answering('127.0.0.1'),
      ports: new Set([trap.port]),
      isPublic: () => true,
    });
    await post(`https://127.0.0.1:${trap.port}/`);
    await post(`https://shop.example:${trap.port}/`);
    expect(trap.connections()).toBe(2);
  });

  test('only HTTPS on the usual ports, also for an endpoint stored when the allow-list was longer', async () => {
    const trap = await canary();
    const post = poster({ isPublic: () => true });
    expect((await post(`http://localhost:${trap.port}/`)).error).toBe('refused: the URL is not HTTPS');
    expect((await post(`https://shop.example:${trap.port}/`)).error).toBe(
      `refused: port ${trap.port} is not allowed`,
    );
    expect((await post('https://shop.example:25/')).error).toBe('refused: port 25 is not allowed');
    expect(trap.connections()).toBe(0);
  });

  test('an exempt host is exempt on its own port alone', async () => {
    const [trap, other] = [await canary(), await canary()];
    const post = poster({
      allowHosts: createAllowList([`localhost:${other.port}`]),
      ports: new Set([trap.port]),
    });
    expect((await post(`https://localhost:${trap.port}/`)).error).toBe(PRIVATE);
    expect(trap.connections()).toBe(0);
  });

  test('proxies named in the environment see nothing', async () => {
    const trap = await canary();
    for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy']) {
      vi.stubEnv(name, `http://127.0.0.1:${trap.port}`);
    }
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });
    const receiver = await startLoopbackServer(createHttpServer((_, response) => response.end()));
    const post = poster({ allowHosts: createAllowList([`127.0.0.1:${receiver.port}`]) });
    expect((await post(`http://127.0.0.1:${receiver.port}/`)).delivered).toBe(true);
    expect(trap.connections()).toBe(0);
  });
});

describe('a receiver under the rules', () => {
  test('is reached by name, at the one address that was asked for and checked', async () => {
    const receiver = await tlsReceiver(trustedCertificate);
    const asked: string[] = [];
    const resolve: ResolveHost = (name) => {
      asked.push(name);
      return Promise.resolve(asked.length === 1 ? ['127.0.0.1'] : ['10.0.0.1']);
    };
    const post = poster({ ...loopbackRules(receiver.port), resolve });
    expect(await post(`https://receiver.test:${receiver.port}/`)).toMatchObject({
      delivered: true,
      statusCode: 200,
    });
    expect(asked).toEqual(['receiver.test']);
    // The kept connection leads where it was checked to lead; the name is not asked again for it.
    await sleep(50);
    expect((await post(`https://receiver.test:${receiver.port}/`)).delivered).toBe(true);
    expect([asked.length, receiver.connections()]).toEqual([1, 1]);
  });

  test('is tried at its next address when the first does not answer', async () => {
    const receiver = await tlsReceiver(trustedCertificate);
    const post = poster({ ...loopbackRules(receiver.port), resolve: answering('127.0.0.2', '127.0.0.1') });
    expect((await post(`https://receiver.test:${receiver.port}/`)).delivered).toBe(true);
  });

  test('gets no request when the connection turns out to lead elsewhere', async () => {
    const receiver = await tlsReceiver(trustedCertificate);
    const verdicts = [true, false];
    const post = poster({ ...loopbackRules(receiver.port), isPublic: () => verdicts.shift() ?? false });
    expect((await post(`https://receiver.test:${receiver.port}/`)).error).toBe(PRIVATE);
    expect(receiver.requests()).toBe(0);
  });

  test('whose name resolves only after the delivery timed out gets no request', async () => {
    const receiver = await tlsReceiver(trustedCertificate);
    let answerAtLast = (_: string[]) => {};
    const resolve: ResolveHost = () =>
      new Promise((done) => {
        answerAtLast = done;
      });
    const post = poster({ ...loopbackRules(receiver.port), resolve });
    expect((await post(`https://receiver.test:${receiver.port}/`, 200)).error).toBe('timed out after 0.2 s');
    answerAtLast(['127.0.0.1']);
    await vi.waitFor(() => expect(receiver.connections()).toBe(1));
    await sleep(100);
    expect(receiver.requests()).toBe(0);
  });

  test('of an exempt pair is found by the system, as localhost is', async () => {
    const receiver = await startLoopbackServer(createHttpServer((_, response) => response.end()));
    const post = poster({ allowHosts: createAllowList([`localhost:${receiver.port}`]) });
    expect((await post(`http://localhost:${receiver.port}/`)).delivered).toBe(true);
  });
});

describe('TLS is verified', () => {
  const refused: [string, string, string][] = [
    ['self-signed', selfSignedCertificate, 'TLS: certificate is self-signed'],
    ['expired', expiredCertificate, 'TLS: certificate has expired'],
    ['for another host', otherNameCertificate, 'TLS: certificate is for another host name'],
  ];
  test.each(refused)('a certificate that is %s is refused', async (_, certificate, sentence) => {
    const receiver = await tlsReceiver(certificate);
    const post = poster(loopbackRules(receiver.port));
    expect((await post(`https://receiver.test:${receiver.port}/`)).error).toBe(sentence);
    expect(receiver.requests()).toBe(0);
  });

  test('an exempt pair is spared HTTPS, but where it has HTTPS its certificate counts', async () => {
    const receiver = await tlsReceiver(selfSignedCertificate);
    const post = poster({ allowHosts: createAllowList([`localhost:${receiver.port}`]) });
    expect((await post(`https://localhost:${receiver.port}/`)).error).toBe('TLS: certificate is self-signed');
    expect(receiver.requests()).toBe(0);
  });

  test('an authority nobody knows is refused', async () => {
    const receiver = await tlsReceiver(trustedCertificate);
    const { authorities: _, ...rules } = loopbackRules(receiver.port);
    const answer = await poster(rules)(`https://receiver.test:${receiver.port}/`);
    expect(answer.error).toBe('TLS: certificate’s issuer is not trusted');
  });

  test.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'another’s certificate is refused every time, not only the first, with %s',
    async (version) => {
      const receiver = await tlsReceiver(otherNameCertificate, version);
      const post = poster(loopbackRules(receiver.port));
      for (let attempt = 0; attempt < 3; attempt += 1) {
        const answer = await post(`https://receiver.test:${receiver.port}/`);
        expect(answer.error).toBe('TLS: certificate is for another host name');
      }
      expect(receiver.requests()).toBe(0);
    },
  );
});

/** The real rules, but that loopback and the receiver's port count as the internet, where receiver.test is. */
const loopbackRules = (port: number) => ({
  resolve: answering('127.0.0.1'),
  isPublic: (ip: string) => ip.startsWith('127.'),
  ports: new Set([port]),
  authorities: authority,
});

function poster(guard: Partial<Guard>) {
  const client = createGuardedClient({ resolve: answering('127.0.0.1'), allowHosts: nobody, ...guard });
  onTestFinished(() => client.destroy());
  return (url: string, timeoutMs = 10_000) =>
    postWebhook(client, { url, headers: {}, body: '{}', timeoutMs });
}

async function tlsReceiver(cert: string, maxVersion: SecureVersion = 'TLSv1.3') {
  let requests = 0;
  const server = createHttpsServer({ key: receiverKey, cert, maxVersion }, (_, response) => {
    requests += 1;
    response.end('ok');
  });
  return { ...(await startLoopbackServer(server)), requests: () => requests };
}
