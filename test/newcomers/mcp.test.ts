import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, test, vi } from 'vitest';
import { connectAssistant, READING } from '../mcp/assistant.ts';
import { eventually } from '../support/waiting.ts';
import { arrive, startWaypost } from './newcomer.ts';

/** It packs, installs and builds. */
vi.setConfig({ testTimeout: 300_000 });

test('a newcomer comes from a fresh clone to an assistant that says why a text was not sent, and sees the webhook', async () => {
  const newcomer = await arrive();
  await startWaypost(newcomer);
  const quickstart = await newcomer.read('docs/quickstart.md');
  const page = await newcomer.read('docs/mcp.md');
  const shop = newcomer.terminal();
  await shop.run(quickstart.commands('export WAYPOST_API_KEY'));
  await shop.run(page.commands('npm run pack -- mcp'));
  newcomer.knows.set('/home/you/shop', shop.folder);
  const { command, env } = JSON.parse(page.json('mcpServers')).mcpServers.waypost;
  const assistant = await connectAssistant(
    new StdioClientTransport({ command, env: { PATH: process.env.PATH ?? '', ...env } }),
  );
  expect(await assistant.toolNames()).toEqual(READING);

  const receiver = newcomer.terminal();
  receiver.start(page.commands('createServer').replace(/ &\n$/, ''));
  await eventually(() => fetch(`http://localhost:${newcomer.knows.get('3000')}`));
  const { id: endpointId } = JSON.parse(await shop.run(page.commands('/api/v1/webhook-endpoints')));
  const { id } = JSON.parse(await shop.run(page.commands('/api/v1/messages')));

  const asked = async (tool: string, input: Record<string, unknown> = {}) => {
    const { isError, text } = await assistant.use(tool, input);
    expect([isError, text.slice(0, 200)]).toEqual([false, expect.anything()]);
    return JSON.parse(text);
  };
  expect((await asked('list_messages', { recipient_email: 'rosa@example.com' })).items).toMatchObject([
    { id },
  ]);
  const [said = ''] = /No SMS: [^"]+\./.exec(page.text) ?? [];
  expect(JSON.stringify(await asked('read_message', { id }))).toContain(said);
  expect((await asked('list_webhook_endpoints')).items).toMatchObject([{ id: endpointId }]);
  await eventually(async () =>
    expect((await asked('list_deliveries', { endpoint_id: endpointId })).items).toMatchObject([
      { type: 'message.delivered', status: 'delivered', attempts: [{ status_code: 200 }] },
    ]),
  );
});
