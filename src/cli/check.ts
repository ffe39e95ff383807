import { command } from './command.ts';
import { table } from './layout.ts';

const WORDS = { good: 'ok', warning: 'warning', wrong: 'WRONG' } as const;

export const check = command({
  path: 'check',
  about: 'Checks the configuration, the database and each provider, without sending anything',
  readsConfig: false,
  async run(_given, cli) {
    // Loaded here: no other command needs the clients of the providers.
    const { checkEverything } = await import('./check/everything.ts');
    const { findings, wasCutShort } = await checkEverything(cli);
    const failed = findings.some(({ state }) => state === 'wrong');
    const rows = findings.map(({ state, part, says }) => [WORDS[state], part, says]);
    const last = wasCutShort
      ? 'The database and the providers are checked once the configuration can be read.'
      : failed
        ? 'Put right what is marked WRONG, and check again.'
        : 'Nothing is wrong.';
    const text = `${table(['', 'part', 'found'], rows, '')}\n\n${last}`;
    return { json: { ok: !failed, findings }, text, failed };
  },
});
