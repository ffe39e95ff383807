#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createMcpServer } from '../../../src/mcp/server.ts';
import { callOver, readAddress, SettingMistake } from './callOver.ts';

const HELP = `waypost-mcp: what Waypost sent, and why it did not, for an assistant.

  WAYPOST_BASE_URL   where Waypost is reached, such as https://waypost.example
  WAYPOST_API_KEY    an API key; one that may only read is enough
  --allow-send       also offers the tools that send and retract, as far as the key may
`;

const OPTIONS = { 'allow-send': { type: 'boolean' }, help: { type: 'boolean' } } as const;

try {
  const { values } = parseArgs({ options: OPTIONS });
  if (values.help) process.stdout.write(HELP);
  else start(values['allow-send'] === true);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = error instanceof SettingMistake ? 2 : 1;
}

function start(mayAlsoSend: boolean): void {
  const call = callOver(readAddress(process.env));
  const version = versionOfPackage();
  // What the library could not read; the answers themselves go to the assistant.
  const onerror = (error: Error) => void process.stderr.write(`${error.message}\n`);
  serveStdio(() => createMcpServer({ call, version, mayAlsoSend }), { onerror });
}

function versionOfPackage(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return String(Object(JSON.parse(text)).version);
}
