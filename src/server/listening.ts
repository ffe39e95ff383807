import { hkdfSync } from 'node:crypto';
import { createServer } from 'node:net';
import type { Demo } from '../businesses/demo.ts';
import { isLocalHost } from '../config/reading.ts';
import { type Config, sandboxOn } from '../environment/config.ts';
import { codeOf, OperatorError } from '../kit/errors.ts';

/** A free port, so that links can name it before the server listens. */
export function claimPort(host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error) => reject(explainListenError(error, host, 0)));
    probe.listen(0, host, () => {
      const address = probe.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      probe.close(() => resolve(port));
    });
  });
}

export function explainListenError(error: unknown, host: string, port: number): unknown {
  switch (codeOf(error)) {
    case 'EADDRINUSE':
      return new OperatorError(
        `Port ${port} on ${host} is in use by another program: stop it, or set PORT to another.`,
      );
    case 'EACCES':
      return new OperatorError(
        `This user has no permission to use port ${port}: set PORT to one above 1023.`,
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new OperatorError(`HOST is "${host}", which is not an address of this machine.`);
    default:
      return error;
  }
}

/** Whether callers on other machines can reach the sandbox; they then need its key, which is printed at the start. */
export const sandboxIsExposed = (config: Config, publicUrl: string): boolean =>
  sandboxOn(config) &&
  config.roles.api &&
  !(isLocalHost(config.host) && isLocalHost(new URL(publicUrl).hostname));

export const EXPOSED_WARNING =
  'The sandbox is on, and HOST or PUBLIC_URL opens it to other machines: it shows every message and has no accounts. From another machine it needs the key in the address printed below.';

interface Started {
  demo: Demo;
  publicUrl: string;
  /** Of a link that signs in to the demo's dashboard, once and within 15 minutes. */
  signInToken: string | null;
  /** The key for callers on other machines; null if none can reach the sandbox. */
  sandboxKey: string | null;
}

/** Printed once Waypost runs: where it is, and a first request to try. */
export function banner({ demo, signInToken, publicUrl, sandboxKey }: Started): string {
  const inSandbox = (path: string): string => sandboxAddress(publicUrl, path, sandboxKey);
  const dashboard =
    signInToken === null ? inSandbox('/sandbox/dashboard') : `${publicUrl}/dashboard/sign-in/${signInToken}`;
  const push = {
    recipient_email: 'ann@example.com',
    subject: 'Your order #1001 has shipped',
    body: 'It left our warehouse this morning.',
    reference: '#1001',
    order_status: 'shipped',
  };
  return `
Waypost is running at ${publicUrl}

  Demo API key   ${demo.api_key}

Push an update:

  curl -s ${publicUrl}/api/v1/messages \\
    -H 'Authorization: Bearer ${demo.api_key}' \\
    -H "Idempotency-Key: $(date +%s%N)" \\
    -H 'Content-Type: application/json' \\
    -d '${JSON.stringify(push)}'

Then open:

  Sandbox        ${inSandbox('/sandbox')}   every message sent, with links into the inbox
  API reference  ${publicUrl}/docs
  Demo inbox     ${inSandbox('/sandbox/inbox')}   the inbox of the latest recipient
  Dashboard      ${dashboard}
                 signs you in to the demo shop, once, within 15 minutes; ${inSandbox('/sandbox/dashboard')} makes another link

Ctrl-C stops everything.
`;
}

export const sandboxAddress = (publicUrl: string, path: string, key: string | null): string =>
  `${publicUrl}${path}${key === null ? '' : `?key=${key}`}`;

const KEY_BYTES = 24;

/**
 * The key that opens the sandbox from another machine. It is derived from SECRET_KEY, so it stays the same across
 * restarts and in every process on the database.
 */
export const sandboxAccessKey = (secretKey: string): string =>
  Buffer.from(hkdfSync('sha256', secretKey, '', 'waypost sandbox access v1', KEY_BYTES)).toString(
    'base64url',
  );
