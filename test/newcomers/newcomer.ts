import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { filesOfPage } from '../client/pageFiles.ts';
import { serveInstalledPackages } from '../start/installedPackages.ts';
import { composerIn } from '../support/composer.ts';
import { freePort } from '../support/freePort.ts';
import { freshClone } from '../support/freshClone.ts';
import { scratchFolder } from '../support/scratchFolder.ts';
import { eventually } from '../support/waiting.ts';
import { interruptAll, type Running, Terminal } from './terminal.ts';

/*
 * A person with a fresh clone and our pages. What they type and which files they write comes from the pages, so a page that leads
 * nowhere fails. Only ports differ from what a page says, and what it leaves out: keys, secrets.
 */
const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export interface Newcomer {
  /** Where Waypost is to listen, as pages say 8080. */
  port: number;
  url: string;
  /** A terminal in the folder that the page says to be in: the clone, or the project beside it. */
  terminal(folder?: 'waypost' | 'shop'): Terminal;
  read(page: string): Promise<PageInHand>;
  /** What stands on a page as `way_live_…`, `whsec_…` or a port, and what it is here. */
  knows: Map<string, string>;
}

export interface PageInHand {
  text: string;
  /** The block of commands that has these words. */
  commands(words: string): string;
  /** The block of JSON that has these words. */
  json(words: string): string;
  /** Writes its files into the folder of a terminal. */
  writeFiles(terminal: Terminal): Promise<void>;
}

/** The clone is made; nothing is built or started. Everything is gone when the test has finished. */
export async function arrive(): Promise<Newcomer> {
  const scratch = await scratchFolder();
  const registry = await serveInstalledPackages();
  onTestFinished(async () => {
    await interruptAll();
    await registry.close();
    await scratch.remove();
  });
  await freshClone(join(scratch.path, 'waypost'));
  const home = join(scratch.path, 'home');
  await mkdir(home);
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    NO_COLOR: '1',
    npm_config_registry: registry.url,
    npm_config_fund: 'false',
    npm_config_audit: 'false',
    ...(await composerIn(home)),
    PIP_NO_INDEX: '1',
    PIP_DISABLE_PIP_VERSION_CHECK: '1',
  };
  const port = await freePort();
  const knows = new Map([
    ['localhost:8080', `localhost:${port}`],
    ['3000', String(await freePort())],
  ]);
  const asHere = (text: string): string =>
    [...knows].reduce((said, [shown, here]) => said.replaceAll(shown, here), text);
  return {
    port,
    url: `http://localhost:${port}`,
    knows,
    terminal: (folder = 'waypost') => new Terminal(join(scratch.path, folder), env),
    async read(page) {
      const text = await readFile(join(ROOT, page), 'utf8');
      const block = (language: string, words: string): string => {
        const blocks = [...text.matchAll(new RegExp(`^ *\`\`\`${language}\n(.*?)\`\`\``, 'gms'))];
        const [code, ...others] = blocks.flatMap(([, code = '']) => (code.includes(words) ? [code] : []));
        if (code === undefined || others.length > 0)
          throw new Error(`${page} must have one block of ${language} with "${words}"`);
        return asHere(code);
      };
      return {
        text,
        commands: (words) => block('sh', words),
        json: (words) => block('json', words),
        async writeFiles({ folder }) {
          for (const [name, code] of filesOfPage(page)) await writeFile(join(folder, name), asHere(code));
        },
      };
    },
  };
}

/** Starts the service as the quickstart says, and knows its key from what it prints. */
export async function startWaypost({ port, terminal, read, knows }: Newcomer): Promise<Running> {
  const quickstart = await read('docs/quickstart.md');
  const waypost = terminal().start(`export PORT=${port}\n${quickstart.commands('npm start')}`);
  const [, key = ''] = await eventually(() => {
    const found = /Demo API key {3}(\S+)/.exec(waypost.printed());
    if (found === null) throw new Error(`it does not run: ${waypost.printed()}`);
    return found;
  }, STARTS_WITHIN_MS);
  knows.set('way_live_…', key);
  return waypost;
}

/** It is built first. */
const STARTS_WITHIN_MS = 180_000;
