import { execFile } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { OperatorError } from '../src/kit/errors.ts';
import { launchProgram, untilReady } from '../test/support/program.ts';
import { BUILT_SERVER, benchSettings } from './program.ts';

/** The folder of another checkout that an option names, or a sentence that says what it lacks. A relative one starts where npm was called. */
export function findCheckout(option: string, named: string): string {
  const folder = resolve(process.env.INIT_CWD ?? '', named);
  for (const file of ['package.json', BUILT_SERVER, 'node_modules'])
    if (!existsSync(join(folder, file)))
      throw new OperatorError(
        `${folder} has no ${file}: ${option} takes a checkout of Waypost after npm ci and npm run build.`,
      );
  return folder;
}

/**
 * Starts the other program once with its log: the one that is measured discards it, and with it the reason why it does not
 * start. Usually it does not know this checkout's schema.
 */
export async function checkThatItStarts(checkout: string, databaseUrl: string): Promise<void> {
  const settings = { ...benchSettings(databaseUrl), LOG_LEVEL: 'error' };
  const program = launchProgram(settings, { script: join(checkout, BUILT_SERVER) });
  try {
    await untilReady(program);
  } catch {
    const reason = program.printed().trim().split('\n')[0] || 'it does not say why.';
    throw new OperatorError(`The program in ${checkout} does not start on this checkout's schema: ${reason}`);
  } finally {
    await program.end();
  }
}

/** The commit of a git checkout, and whether its files differ from it. */
export async function describeCommit(folder: string): Promise<string> {
  const args = ['-C', folder, 'describe', '--always', '--dirty', '--exclude', '*'];
  // A folder without git may lie in a repository of something else.
  const env = { ...process.env, GIT_CEILING_DIRECTORIES: dirname(realpathSync(folder)) };
  const described = await promisify(execFile)('git', args, { env }).catch(() => null);
  return described === null ? 'no commit' : `commit ${described.stdout.trim()}`;
}
