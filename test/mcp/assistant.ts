import { Client, type Transport } from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';

export const READING = [
  'list_deliveries',
  'list_events',
  'list_messages',
  'list_orders',
  'list_webhook_endpoints',
  'preview_message',
  'read_message',
  'read_order',
  'read_recipient',
  'read_usage',
  'search_docs',
];
export const SENDING = ['push_message', 'resend_message', 'retract_message'];

/** An assistant with the protocol's own client. */
export async function connectAssistant(transport: Transport) {
  const client = new Client({ name: 'tests', version: '1.0.0' });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return {
    client,
    toolNames: async () => (await client.listTools()).tools.map(({ name }) => name).sort(),
    /** What a tool answered: whether it failed, and its text. */
    async use(name: string, input: Record<string, unknown> = {}) {
      const { content, isError = false } = await client.callTool({ name, arguments: input });
      const [first] = content;
      if (first?.type !== 'text') throw new Error('a tool answered no text');
      return { isError, text: first.text };
    },
  };
}

export type Assistant = Awaited<ReturnType<typeof connectAssistant>>;
