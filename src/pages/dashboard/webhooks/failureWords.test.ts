import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import {
  authority,
  clientsOnlyCertificate,
  expiredCertificate,
  notYetValidCertificate,
  otherNameCertificate,
  receiverKey,
  selfSignedCertificate,
  trustedCertificate,
} from '../../../../test/support/certificates.ts';
import { startLoopbackServer } from '../../../../test/support/loopback.ts';
import { checkEndpointHost } from '../../../webhooks/endpointUrl.ts';
import { failureOf, failureTexts, type RecordedFailure } from '../../../webhooks/failures.ts';
import { createGuardedClient, type Guard } from '../../../webhooks/guardedClient.ts';
import { postWebhook } from '../../../webhooks/post.ts';
import { createAllowList } from '../../../webhooks/publicAddress.ts';
import { failureWords } from './failureWords.ts';

const nobody = createAllowList([]);
const SHORT_MS = 400;
/** Longer than the client waits for a connection. */
const LONG_MS = 9_000;

/** What is recorded for one call, by the client that deliveries use. */
async function recorded(
  url: string,
  guard: Partial<Guard> = {},
  timeoutMs = LONG_MS,
): Promise<string | null> {
  const client = createGuardedClient({ resolve: async () => [], allowHosts: nobody, ...guard });
  onTestFinished(() => client.destroy());
  return (await postWebhook(client, { url, headers: {}, body: '{}', timeoutMs })).error;
}

const allowing = (pair: string): Partial<Guard> => ({ allowHosts: createAllowList([pair]) });

/** At a merchant's server that answers as it is told. */
async function answered(behave: RequestListener, timeoutMs = LONG_MS): Promise<string | null> {
  const { port } = await startLoopbackServer(createHttpServer(behave));
  return recorded(`http://127.0.0.1:${port}/`, allowing(`127.0.0.1:${port}`), timeoutMs);
}
const status = (code: number) => () => answered((_, response) => response.writeHead(code).end());

/** At one that misbehaves below HTTP. */
async function connected(behave: (socket: Socket) => void, scheme: 'http' | 'https' = 'http') {
  const { port } = await startLoopbackServer(createTcpServer((socket) => behave(socket.resume())));
  return recorded(`${scheme}://127.0.0.1:${port}/`, allowing(`127.0.0.1:${port}`));
}

/** At one with this certificate, where `trusted` is the only authority. */
async function certified(cert: string, trusted: string | null = authority): Promise<string | null> {
  const server = createHttpsServer({ key: receiverKey, cert }, (_, response) => response.end());
  const { port } = await startLoopbackServer(server);
  return recorded(`https://receiver.test:${port}/`, {
    resolve: async () => ['127.0.0.1'],
    isPublic: (ip) => ip.startsWith('127.'),
    ports: new Set([port]),
    ...(trusted !== null && { authorities: trusted }),
  });
}

async function refusedConnection(): Promise<string | null> {
  const server = createTcpServer();
  const { port } = await startLoopbackServer(server);
  await new Promise((closed) => server.close(closed));
  return recorded(`http://127.0.0.1:${port}/`, allowing(`127.0.0.1:${port}`));
}

async function noteAtCreation(): Promise<string | null> {
  const check = { resolve: async () => [], allowHosts: nobody, unresolved: 'accept' } as const;
  const verdict = await checkEndpointHost(new URL('https://new.example/'), check);
  return verdict.ok ? verdict.note : null;
}

/** Every failure that there is, how to make it happen, and what people read. */
const FAILURES: Record<
  RecordedFailure['kind'],
  readonly [happen: () => Promise<string | null>, message: RegExp, advice: RegExp]
> = {
  unresolved: [
    () => recorded('https://nowhere.invalid/', allowing('nowhere.invalid:443')),
    /was not found/,
    /spelled/,
  ],
  unresolvedAtCreation: [noteAtCreation, /not found when the endpoint was added/, /send a test/],
  notPublic: [
    () => recorded('https://shop.example/', { resolve: async () => ['10.0.0.7'] }),
    /private address/,
    /DNS entry/,
  ],
  notHttps: [() => recorded('http://shop.example/'), /not HTTPS/, /begins with https/],
  port: [() => recorded('https://shop.example:25/'), /Port 25/, /443 or 8443/],
  connectionRefused: [refusedConnection, /refused the connection/, /Check that it runs/],
  // No connection leads to an address of many.
  unreachable: [() => recorded('http://224.0.0.1/', allowing('224.0.0.1:80')), /no way/, /right address/],
  connectTimeout: [() => connected(() => {}, 'https'), /did not take the connection in time/, /firewall/],
  timeout: [() => answered(() => {}, SHORT_MS), /did not answer within 0.4 seconds/, /Answer first/],
  closed: [
    () => connected((socket) => socket.once('data', () => socket.end())),
    /closed the connection/,
    /crashed/,
  ],
  headersTooLarge: [
    () => answered((_, response) => response.writeHead(200, { 'x-large': 'a'.repeat(17_000) }).end()),
    /headers of the answer are too large/,
    /204/,
  ],
  notHttp: [() => connected((socket) => socket.end('SSH-2.0-x\r\n')), /not HTTP/, /port of the URL/],
  tlsFailed: [
    () => connected((socket) => socket.end('HTTP/1.1 400 Bad\r\n\r\n'), 'https'),
    /No secure connection/,
    /TLS 1\.2/,
  ],
  tlsExpired: [() => certified(expiredCertificate), /has expired/, /Renew it/],
  tlsNotYetValid: [() => certified(notYetValidCertificate, notYetValidCertificate), /not valid yet/, /clock/],
  // The client asks no authority whether a certificate was revoked, so only a system's own rules record this.
  tlsRevoked: [async () => failureTexts.tlsRevoked, /was revoked/, /public authority/],
  tlsOtherName: [() => certified(otherNameCertificate), /for another host name/, /names the host/],
  tlsSelfSigned: [() => certified(selfSignedCertificate), /self-signed/, /public authority/],
  tlsIssuer: [() => certified(trustedCertificate, null), /issuer .* is not trusted/, /intermediate/],
  tlsInvalid: [
    () => certified(clientsOnlyCertificate, clientsOnlyCertificate),
    /certificate of the server is not valid\./,
    /public authority/,
  ],
  redirect: [status(301), /answered 301, a redirect/, /URL that it redirects to/],
  status: [status(500), /answered 500, an error of its own/, /fault is in your server/],
  requestFailed: [() => recorded('no url'), /The request failed/, /log of your server/],
  // Recorded before a test is sent, and replaced by its answer.
  unanswered: [async () => failureTexts.unanswered, /No answer was recorded/, /under way/],
};

test.each(Object.entries(FAILURES))(
  '%s is explained, with what to do',
  async (kind, [happen, message, advice]) => {
    const error = await happen();
    expect(failureOf(error ?? '')?.kind, error ?? 'it was delivered').toBe(kind);
    const words = failureWords(error ?? '');
    expect(words.message).toMatch(message);
    expect(words.advice).toMatch(advice);
  },
);

test.each([
  [401, /signature/],
  [403, /firewall/],
  [404, /path/],
  [410, /path/],
  [405, /POST/],
  [413, /64 KB/],
  [429, /limit/],
  [400, /does not accept/],
  [418, /does not accept/],
  [502, /your server/],
  [304, /200 to 299/],
])('the status %i has advice of its own', async (code, advice) => {
  const words = failureWords((await status(code)()) ?? '');
  expect(words.message).toContain(`answered ${code}`);
  expect(words.advice).toMatch(advice);
});

test('no two failures are explained alike, and each in whole sentences', () => {
  const all = Object.values(failureTexts).map(failureWords);
  expect(new Set(all.map(({ message }) => message)).size).toBe(all.length);
  for (const { message, advice } of all) {
    expect(message).toMatch(/^[A-Z].*\.$/);
    expect(advice).toMatch(/^[A-Z].*\.$/);
  }
});

test('an error of another version is shown as it is', () => {
  expect(failureWords('the moon was full').message).toBe('The delivery failed: the moon was full.');
});
