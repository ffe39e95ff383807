import type { Demo } from '../businesses/demo.ts';

interface Started {
  demo: Demo;
  publicUrl: string;
  /** What the sandbox asks callers on other machines for; null where none can reach it. */
  sandboxKey: string | null;
}

/** What a person sees once Waypost runs: where it is, and the first thing to try. */
export function banner({ demo, publicUrl, sandboxKey }: Started): string {
  const inSandbox = (path: string): string => sandboxAddress(publicUrl, path, sandboxKey);
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

Then look:

  Sandbox        ${inSandbox('/sandbox')}   what was sent, with links into the inbox
  API reference  ${publicUrl}/docs
  Demo inbox     ${inSandbox('/sandbox/inbox')}   the inbox of whoever was messaged last

Ctrl-C stops everything.
`;
}

export const sandboxAddress = (publicUrl: string, path: string, key: string | null): string =>
  `${publicUrl}${path}${key === null ? '' : `?key=${key}`}`;
