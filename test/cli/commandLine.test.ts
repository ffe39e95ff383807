import { describe, expect, test } from 'vitest';
import { commands } from '../../src/cli/commands.ts';
import { usage } from '../../src/cli/help.ts';
import { openConsole } from './console.ts';

/** Nothing here needs a database: a line that is wrong, or asks for help, never reaches one. */
const cli = openConsole('postgresql://nobody@127.0.0.1:1/nothing');

/** What scripts and people rely on; more may come, at the end of a line or as a command of its own. */
const PROMISED = [
  'business create --name NAME [--credits N] [--sms MODE] [--whatsapp MODE] [--countries EE,FI,GB]',
  'business list',
  'business show ID',
  'business set ID [--sms MODE] [--whatsapp MODE] [--countries EE,FI,GB] [--paused BOOL] [--active BOOL] [--plan PLAN] [--period-end TIME] [--email-allowance N] [--daily-email-cap N] [--low-balance-threshold N] [--warmup BOOL] [--reply-forward HOW] [--name NAME] [--contact EMAIL] [--colour HEX]',
  'credits add ID N [--note TEXT]',
  'key create ID [--name NAME] [--access ACCESS]',
  'key revoke KEY_ID',
  'member add BUSINESS EMAIL [--role ROLE] [--no-invite]',
  'member list BUSINESS',
  'member remove BUSINESS EMAIL',
  'operator add EMAIL',
  'operator list',
  'operator remove EMAIL',
  'usage recount ID',
  'start',
  'check',
  'recipient stop ID EMAIL --channel CHANNEL',
  'recipient show ID EMAIL',
  'order show ID REFERENCE',
  'template set --status ORDER_STATUS --state STATE',
  'endpoint enable ENDPOINT_ID',
  'suppression list ID [EMAIL]',
  'suppression add ID EMAIL',
  'suppression remove ID EMAIL',
  'connection add BUSINESS KIND [--name NAME] [--secret S] [--store URL] [--consumer-key KEY] [--consumer-secret SECRET]',
  'connection list [BUSINESS]',
  'connection set ID [--status STATUS] [--statuses PAIRS] [--channels PAIRS] [--escalate-minutes N] [--phone USE] [--consent-field NAME]',
  'connection rotate ID [--now] [--secret S]',
  'connection remove ID',
  'connection log ID [--order NUMBER]',
  'connection run ID CALL_ID',
  'outbox stats',
  'migrate [--plan]',
  'after-restore [--plan] [--nothing-sent] [--unnoticed]',
];

describe('--help', () => {
  test.each(PROMISED)('has %s', (promised) => {
    const found = commands.find(({ path }) => promised === path || promised.startsWith(`${path} `));
    expect(found && usage(found).startsWith(promised)).toBe(true);
  });

  test('alone lists every command in one line each', async () => {
    for (const flag of ['--help', '-h']) {
      const lines = (await cli.text(flag)).split('\n');
      for (const { path, about } of commands) {
        expect(lines.filter((line) => line.startsWith(`  ${path} `) && line.endsWith(about))).toHaveLength(1);
      }
    }
  });

  test('beside a noun lists that noun’s commands', async () => {
    const text = await cli.text('suppression', '--help');
    expect(text.match(/^ {2}\w+ \w+/gm)).toEqual([
      '  suppression list',
      '  suppression add',
      '  suppression remove',
    ]);
  });

  test.each(commands.map(({ path }) => path))(
    'of %s says how it is called and explains every flag',
    async (path) => {
      const called = commands.find((command) => command.path === path);
      const text = await cli.text(...path.split(' '), '--help');
      expect(text.replace(/\n {2}(?=\[)/g, ' ')).toContain(
        `Usage: npm run -s waypost -- ${called && usage(called)}\n`,
      );
      for (const line of text.split('\n').slice(2, 6)) expect(line.length).toBeLessThanOrEqual(130);
      for (const [flag, { about }] of Object.entries(called?.flags ?? {})) {
        expect(text).toMatch(new RegExp(`^ {2}--${flag} .*`, 'm'));
        expect(text.replace(/\|\n +/g, '|')).toContain(about);
      }
      expect(text).toContain('--json');
    },
  );

  test('with --json is a document, too', async () => {
    expect(await cli.json('key', 'revoke', '--help')).toEqual({
      commands: [
        {
          command: 'key revoke',
          usage: 'key revoke KEY_ID',
          about: expect.stringContaining('Revokes a key'),
        },
      ],
    });
  });
});

describe('mistakes are one sentence', () => {
  test.each([
    [[], 'No command given; --help lists them.'],
    [['--json'], 'No command given; --help lists them.'],
    [['busines'], 'There is no command "busines"; --help lists them.'],
    [['busines', '--help'], 'There is no command "busines"; --help lists them.'],
    [['business'], 'business must be followed by create, list, show or set.'],
    [['business', 'delete', 'x'], 'business must be followed by create, list, show or set, not "delete".'],
    [
      ['business', 'delete', '--help'],
      'business must be followed by create, list, show or set, not "delete".',
    ],
    [['migrate', 'now'], 'migrate does not accept "now"; see migrate --help.'],
    [['--verbose'], 'waypost has no flag --verbose; see --help.'],
    [['business', 'list', '--verbose'], 'business list has no flag --verbose; see business list --help.'],
    [['business', 'list', '-v'], 'business list has no flag -v; see business list --help.'],
    [['business', 'list', '--name', 'x'], 'business list has no flag --name; see business list --help.'],
    [
      ['business', 'list', '--__proto__', 'x'],
      'business list has no flag --__proto__; see business list --help.',
    ],
    [['business', 'list', '--json=yes'], '--json has no value.'],
    [['business', 'create', '--name'], '--name needs a value.'],
    [['business', 'set', 'x', '--plan', '--json'], '--plan needs a value.'],
    [['migrate', '--plan=yes'], '--plan has no value.'],
    [['start', '--json'], 'start prints no JSON: it runs until it is stopped.'],
    [['business', 'create', '--name='], '--name needs a value.'],
    [['business', 'create', '--name', '--credits', '5'], '--name needs a value.'],
    [['business', 'create', '--name', 'A', '--name', 'B'], '--name is given twice.'],
    [['credits', 'add', 'x', '-5'], 'credits add has no flag -5; see credits add --help.'],
    [['x'.repeat(500)], `There is no command "${'x'.repeat(60)}…"; --help lists them.`],
    [['\u001b[31mred\n'], 'There is no command "\u{fffd}[31mred\u{fffd}"; --help lists them.'],
  ])('%j', async (argv, sentence) => {
    expect(await cli.mistake(...argv)).toBe(sentence);
  });

  test('a value that begins with a dash can be given with =', async () => {
    expect(await cli.mistake('business', 'create', '--name=-5', '--sms', 'x')).toMatch(/^--sms must be/);
  });

  test('a database that cannot be reached is said so', async () => {
    expect(await cli.mistake('business', 'list')).toMatch(
      /^The database cannot be reached \(.*ECONNREFUSED.*\): check the host and port of DATABASE_URL, .*\.$/,
    );
  });
});
