import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { commands } from '../../src/cli/commands.ts';
import { type Environment, readConfig } from '../../src/environment/config.ts';
import { metaVerdict } from '../../src/providers/meta/answers.ts';
import { mayPass } from '../../src/providers/provider.ts';
import { ruledCountries, senderRule } from '../../src/providers/senderRules.ts';
import { twilioVerdict } from '../../src/providers/twilio/api.ts';
import { vonageVerdict } from '../../src/providers/vonage/api.ts';
import {
  brevoEnv,
  httpEmailEnv,
  httpSmsEnv,
  httpWhatsappEnv,
  mailgunEnv,
  metaEnv,
  postmarkEnv,
  resendEnv,
  sendgridEnv,
  sesEnv,
  smtpEnv,
  twilioSmsEnv,
  twilioWhatsappEnv,
  vonageEnv,
} from '../support/providerEnvironments.ts';

const FOLDER = new URL('../../docs/providers/', import.meta.url);
const page = (name: string): string => readFileSync(new URL(`${name}.md`, FOLDER), 'utf8');

/** What an operator sets for each page's provider; the addresses are never called. */
const URL_OF_ALL = 'https://api.example';
const PAGES: Record<string, Record<string, string>[]> = {
  smtp: [smtpEnv(25)],
  ses: [sesEnv(URL_OF_ALL)],
  postmark: [postmarkEnv(URL_OF_ALL)],
  resend: [resendEnv(URL_OF_ALL)],
  brevo: [brevoEnv(URL_OF_ALL)],
  mailgun: [mailgunEnv(URL_OF_ALL)],
  sendgrid: [sendgridEnv(URL_OF_ALL)],
  twilio: [twilioSmsEnv(URL_OF_ALL), twilioWhatsappEnv(URL_OF_ALL)],
  vonage: [vonageEnv(URL_OF_ALL)],
  meta: [metaEnv(URL_OF_ALL)],
  http: [httpEmailEnv(URL_OF_ALL), httpSmsEnv(URL_OF_ALL), httpWhatsappEnv(URL_OF_ALL)],
};
const pages = Object.keys(PAGES);

/** The names of the variables that a start looks at, found by watching it. */
function lookedAt(env: Environment): Set<string> {
  const names = new Set<string>();
  readConfig(
    new Proxy(env, {
      get(target, name) {
        names.add(String(name));
        return Reflect.get(target, name);
      },
    }),
  );
  return names;
}

const always = lookedAt({});
/** Those that only these settings bring into play, without the files that may stand for them. */
const brought = (settings: readonly Environment[]): string[] =>
  [...new Set(settings.flatMap((env) => [...lookedAt(env)]))]
    .filter((name) => !always.has(name) && !name.endsWith('_FILE'))
    .sort();

const withoutFile = (name: string): string => name.replace(/_FILE$/, '');
const variablesIn = (text: string): string[] => [
  ...new Set([...text.matchAll(/\b[A-Z][A-Z0-9]+(?:_[A-Z0-9]+)+\b/g)].map(([name]) => name)),
];

test('the rules of names as senders are those of the program, each with its source', () => {
  const cells = page('sms-senders')
    .split('\n')
    .filter((line) => /^\| [A-Z]{2} +\|/.test(line))
    .map((line) => line.split('|').map((cell) => cell.trim()));
  const documented = cells.map(([, country, rule, since]) => [country, rule, since]);
  expect(documented).toEqual(
    ruledCountries.map((country) => {
      const { rule, since } = senderRule('ACME', country) ?? {};
      return [country, rule, since ?? ''];
    }),
  );
  for (const [, country, , , what, source] of cells) {
    expect(what, country).not.toBe('');
    expect(source, country).not.toBe('');
  }
});

test('there is a page for every provider, and no other', () => {
  const files = readdirSync(FOLDER).flatMap((file) => (file.endsWith('.md') ? [file.slice(0, -3)] : []));
  expect(files.sort()).toEqual(['README', 'adding', 'sms-senders', ...pages].sort());
  for (const text of [page('README'), readFileSync(new URL('../../README.md', FOLDER), 'utf8')])
    for (const name of pages) expect(text).toContain(`${name}.md`);
});

describe.each(pages)('%s', (name) => {
  const settings = PAGES[name] ?? [];
  const text = page(name);

  test('names exactly the variables that are read', () => {
    const known = brought(settings);
    const own = variablesIn(text)
      .map(withoutFile)
      .filter((variable) => !always.has(variable) && !SHOWN.has(variable));
    expect([...new Set(own)].sort()).toEqual(known);
  });

  test('names files only where files are read', () => {
    const files = variablesIn(text).filter((variable) => variable.endsWith('_FILE'));
    const readable = new Set(settings.flatMap((env) => [...lookedAt(env)]));
    expect(files.filter((file) => !readable.has(file))).toEqual([]);
  });

  test('names the address of its callbacks, and no other', () => {
    const expected = [`/callbacks/${name === 'smtp' ? 'mail' : name}`];
    expect([...new Set(text.match(/\/callbacks\/\w+/g) ?? [])]).toEqual(expected);
  });

  test('starts with what it tells to set', () => {
    const told = [...text.matchAll(/^export (\w+)=(.*)$/gm)].map(([, variable = '']) => variable);
    expect(told.length).toBeGreaterThan(3);
    const needed = settings.flatMap(neededOf);
    expect(needed.filter((variable) => !told.map(withoutFile).includes(variable))).toEqual(
      // Either of the two does.
      name === 'twilio' ? ['TWILIO_FROM'] : [],
    );
  });
});

/** The shell variables that a reader of a page has set. */
const SHOWN = new Set(['WAYPOST_API_KEY', 'BUSINESS_ID']);

/** The variables without which these settings are refused. */
function neededOf(env: Record<string, string>): string[] {
  return Object.keys(env).filter((variable) => {
    const { [variable]: _, ...without } = env;
    try {
      readConfig(without);
      return false;
    } catch {
      return true;
    }
  });
}

test('every command on the pages exists', () => {
  const called = ['README', ...pages].flatMap((name) =>
    [...page(name).matchAll(/npm run -s waypost -- (.+)$/gm)].map(([, words = '']) => words),
  );
  expect(called.length).toBeGreaterThan(pages.length);
  for (const words of called)
    expect(
      commands.filter(({ path }) => `${words} `.startsWith(`${path} `)),
      words,
    ).toHaveLength(1);
});

/** The last code of either provider's lists. */
const LAST_CODE = 140_000;
const PERMISSIONS = /^2\d\d$/;

describe.each([
  ['twilio', twilioVerdict],
  ['vonage', vonageVerdict],
  ['meta', metaVerdict],
] as const)('the codes of %s', (name, verdictOf) => {
  const codes = Array.from({ length: LAST_CODE }, (_, code) => String(code)).filter(
    (code) => verdictOf(code) !== null && !(name === 'meta' && PERMISSIONS.test(code)),
  );
  const rows = [...page(name).matchAll(/^\| (.*?) \| (.*?) \|$/gm)].flatMap(([, said = '', becomes = '']) =>
    (said.replace('200 to 299', '').match(/\b\d{1,6}\b/g) ?? [])
      .filter((code) => codes.includes(code))
      .map((code) => ({ code, becomes })),
  );

  test('are all on its page, each once', () => {
    expect(rows.map(({ code }) => code).sort()).toEqual(codes.sort());
  });

  test('mean what the page says', () => {
    for (const { code, becomes } of rows) {
      const verdict = verdictOf(code);
      if (verdict === null) continue;
      expect(becomes, code).toMatch('concerns' in verdict ? PAUSES[verdict.concerns] : endOf(verdict));
    }
  });
});

const PAUSES = { account: /^waits; the channel pauses/, sender: /^waits; the sender pauses/ };

function endOf({ because, alarm }: { because: Parameters<typeof mayPass>[0]; alarm?: string }): RegExp {
  if (mayPass(because)) return /^tried again/;
  switch (because) {
    case 'stopped':
      return /the person is stopped/;
    case 'not_on_whatsapp':
      return /`not_reachable`/;
    case 'capped':
      return /^rejected and refunded as `platform_limited`/;
    case 'template':
      return /the template is held/;
    default:
      return alarm === undefined ? /^rejected and refunded *$/ : /said in `\/readyz`/;
  }
}
