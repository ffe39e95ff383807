import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { commands } from '../../src/cli/commands.ts';
import { SECOND } from '../../src/kit/clock.ts';
import { STOP_WITHIN_MS } from '../../src/server/signals.ts';
import { configured, fileText, madeSecrets, variablesOf } from './settings.ts';

/** The units, checked against the program and by systemd's own command where it is installed. */

const UNITS = ['waypost-api', 'waypost-worker', 'waypost-migrate'];
const PROGRAM = '/usr/local/bin/waypost';
/** Of 100: what systemd-analyze calls the exposure of a unit, times ten. The next better one would forbid a network. */
const EXPOSURE_MAX = 20;
const HARDENING =
  /^(LoadCredential|DynamicUser|NoNew|Protect|Private|Restrict|RemoveIPC|Lock|Capability|Ambient|SystemCall|UMask)/;

const unitText = (unit: string): string => fileText(`deploy/systemd/${unit}.service`);

/** The values of a setting, in order. */
const valuesOf = (unit: string, name: string): string[] =>
  unitText(unit)
    .split('\n')
    .filter((line) => line.startsWith(`${name}=`))
    .map((line) => line.slice(name.length + 1));

const isThere = spawnSync('systemd-analyze', ['--version']).status === 0;

function analyze(command: string, unit: string, text: string, ...options: string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'waypost-units-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  // The program is not installed where this test runs.
  for (const name of UNITS)
    writeFileSync(join(folder, `${name}.service`), unitText(name).replaceAll(PROGRAM, process.execPath));
  writeFileSync(join(folder, `${unit}.service`), text.replaceAll(PROGRAM, process.execPath));
  const args = [command, ...options, join(folder, `${unit}.service`)];
  return spawnSync('systemd-analyze', args, {
    encoding: 'utf8',
    env: { ...process.env, SYSTEMD_COLORS: '0' },
  });
}

describe.each(UNITS)('the unit %s', (unit) => {
  test('runs a command that exists', () => {
    const [program, ...args] = valuesOf(unit, 'ExecStart').join().split(' ');
    expect(program).toBe(PROGRAM);
    expect(['start', ...commands.map(({ path }) => path)]).toContain(args.join(' '));
  });

  test('reads every variable, and finds each secret among its credentials', () => {
    const { folder } = madeSecrets();
    const own = valuesOf(unit, 'Environment').join(' ').replaceAll(' ', '\n');
    const variables = { ...variablesOf(own), ...variablesOf(fileText('deploy/waypost.env.example')) };
    const { config, unread } = configured(variables, join(folder, 'secrets'));
    expect(unread).toEqual([]);
    expect(config).toMatchObject({ production: true, host: '127.0.0.1' });
    const credentials = valuesOf(unit, 'LoadCredential').map((value) => value.split(':')[0]);
    const files = Object.entries(variables).filter(([name]) => name.endsWith('_FILE'));
    expect(files.map(([, path]) => path)).toEqual(credentials.map((name) => `%d/${name}`));
  });

  test('has longer to stop than it needs', () => {
    expect(Number(valuesOf(unit, 'TimeoutStopSec')) * SECOND).toBeGreaterThan(STOP_WITHIN_MS);
  });

  test('is protected like the others', () => {
    const lines = (name: string) =>
      unitText(name)
        .split('\n')
        .filter((line) => HARDENING.test(line));
    expect(lines(unit).length).toBeGreaterThan(20);
    expect(lines(unit)).toEqual(lines('waypost-api'));
  });

  test.skipIf(!isThere)('is accepted by systemd, and found to be little exposed', () => {
    const verified = analyze('verify', unit, unitText(unit));
    expect([verified.status, verified.stderr]).toEqual([0, '']);
    const limit = [`--threshold=${EXPOSURE_MAX}`, '--offline=true', '--no-pager'];
    const judged = analyze('security', unit, unitText(unit), ...limit);
    expect(judged.status, judged.stdout).toBe(0);
  });
});

test.skipIf(!isThere)(
  'a setting that systemd does not know, and a missing protection, would be noticed',
  () => {
    const [unit = ''] = UNITS;
    const misspelt = unitText(unit).replace('ProtectHome=', 'ProtectHomes=');
    expect(analyze('verify', unit, misspelt).stderr).toMatch(/Unknown key .*'ProtectHomes'/);
    const open = unitText(unit)
      .split('\n')
      .filter((line) => !HARDENING.test(line))
      .join('\n');
    expect(analyze('security', unit, open, `--threshold=${EXPOSURE_MAX}`, '--offline=true').status).not.toBe(
      0,
    );
  },
);

test('the API has the port of a proxy, the worker one of its own, and each its role', () => {
  const portOf = (unit: string) => /PORT=(\d+)/.exec(valuesOf(unit, 'Environment').join(' '))?.[1];
  const roleOf = (unit: string) => /ROLES=(\w+)/.exec(valuesOf(unit, 'Environment').join(' '))?.[1];
  expect([portOf('waypost-api'), portOf('waypost-worker')]).toEqual(['8080', '8081']);
  expect([roleOf('waypost-api'), roleOf('waypost-worker')]).toEqual(['api', 'worker']);
});

test('the command of a checkout gives Node the flag of `npm start`', () => {
  const firstLine = fileText('src/cli/main.ts').split('\n')[0];
  expect(firstLine).toBe(`#!/usr/bin/env -S node ${/node (--\S+)/.exec(fileText('package.json'))?.[1]}`);
});
