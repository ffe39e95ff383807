import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { freePort } from '../support/freePort.ts';
import { scratchFolder } from '../support/scratchFolder.ts';

const PROGRAM = '/usr/sbin/postfix';
const run = promisify(execFile);

/** Only root can start it. */
export const canStartPostfix = existsSync(PROGRAM) && existsSync('/usr/bin/curl') && process.getuid?.() === 0;

/**
 * A Postfix of its own until the test ends. It takes mail to anybody at shop.example, where nobody lives, and posts mail to `domain`
 * as docs/providers/smtp.md sets it up.
 */
export async function startPostfix(domain: string) {
  const folder = await scratchFolder();
  const at = (name: string): string => join(folder.path, name);
  const port = await freePort();
  for (const name of ['etc', 'queue', 'data']) await mkdir(at(name));
  await run('chown', ['postfix', at('data')]);
  await writeFile(at('etc/main.cf'), mainSettings(folder.path, domain));
  await writeFile(at('etc/master.cf'), services(port, at('deliver')));
  const curl = `curl --config ${at('curl')} --data-binary @-`;
  await writeFile(at('deliver'), `#!/bin/sh\nhead -c 1048576 | ${curl} || exit 75\n`);
  await chmod(at('deliver'), 0o755);
  const postfix = (command: string) => run(PROGRAM, ['-c', at('etc'), command]);
  onTestFinished(async () => {
    await postfix('stop').finally(() => folder.remove());
  });
  await postfix('start');
  return {
    port,
    postTo: (url: string, password: string) =>
      writeFile(
        at('curl'),
        `url = "${url}/callbacks/mail"\nuser = "postfix:${password}"\nheader = "Content-Type: message/rfc822"\nfail\nsilent\nmax-time = 30\n`,
      ),
  };
}

const mainSettings = (folder: string, domain: string): string => `
compatibility_level = 3.6
queue_directory = ${folder}/queue
data_directory = ${folder}/data
maillog_file = ${folder}/log
maillog_file_prefixes = ${tmpdir()}
myhostname = mail.example
mydestination = shop.example
inet_interfaces = 127.0.0.1
local_recipient_maps =
alias_maps =
transport_maps = inline:{{${domain} = waypost:}}
waypost_destination_recipient_limit = 1
`;

/** What it needs of the packaged master.cf, without a chroot. */
const services = (port: number, script: string): string => `
127.0.0.1:${port} inet n - n - - smtpd
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
error unix - - n - - error
retry unix - - n - - error
proxymap unix - - n - - proxymap
anvil unix - - n - 1 anvil
local unix - n n - - local
postlog unix-dgram n - n - 1 postlogd
waypost unix - n n - 2 pipe flags=DRq user=nobody argv=${script}
`;
