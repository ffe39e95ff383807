import type { PartFinding } from './check/findings.ts';
import { command, type Report } from './command.ts';
import { table } from './layout.ts';

const WORDS = { good: 'ok', warning: 'warning', wrong: 'WRONG' } as const;

const check = command({
  path: 'check',
  about: 'Checks the configuration, the database and each provider, without sending anything',
  arguments: {},
  flags: {},
  readsConfig: false,
  async run(_input, cli) {
    // Loaded here: no other command needs the clients of the providers.
    const { checkEverything } = await import('./check/everything.ts');
    const { found, wasCutShort } = await checkEverything(cli);
    return reportOf(found, wasCutShort);
  },
});

function reportOf(findings: readonly PartFinding[], wasCutShort: boolean): Report {
  const failed = findings.some(({ state }) => state === 'wrong');
  const rows = findings.map(({ state, part, says }) => [WORDS[state], part, says]);
  const last = wasCutShort
    ? 'The database and the providers are checked once the configuration can be read.'
    : failed
      ? 'Put right what is marked WRONG, and check again.'
      : 'Nothing is wrong.';
  return {
    json: { ok: !failed, findings },
    text: `${table(['', 'part', 'found'], rows, '')}\n\n${last}`,
    failed,
  };
}

export const checkCommands = [check];
