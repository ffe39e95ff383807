import type { Demo } from '../businesses/demo.ts';

/** What a person sees once Waypost runs: where it is, and the first thing to try. */
export function banner({
  demo,
  publicUrl,
  sandbox,
}: {
  demo: Demo;
  publicUrl: string;
  sandbox: boolean;
}): string {
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

${sandbox ? `  Sandbox        ${publicUrl}/sandbox   what was sent, with links into the inbox\n` : ''}  API reference  ${publicUrl}/docs
${sandbox ? `  Demo inbox     ${publicUrl}/sandbox/inbox   the inbox of whoever was messaged last\n` : ''}
Ctrl-C stops everything.
`;
}
