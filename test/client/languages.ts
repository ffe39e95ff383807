import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { isObject } from '../../src/kit/json.ts';

/** A language with a client of ours, called through a driver: a program that makes the calls of a test. */
export interface ClientLanguage {
  name: 'Python' | 'PHP';
  /** The classes that make calls. */
  kinds: readonly string[];
  readonly isThere: boolean;
  /** Why its tests are skipped. */
  missing: string;
  driver: readonly [program: string, ...args: string[]];
  env: Readonly<Record<string, string>>;
  /** A value of an answer, for JSON.parse, as a program of the language has it. */
  reviver(this: void, key: string, value: unknown): unknown;
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const EXTENSIONS = "['curl', 'pcntl', 'posix']";
const succeeds = (program: string, ...args: string[]): boolean => spawnSync(program, args).status === 0;

export const python: ClientLanguage = {
  name: 'Python',
  kinds: ['Waypost', 'AsyncWaypost'],
  get isThere() {
    return succeeds('python3', '-c', 'import sys; sys.exit(sys.version_info < (3, 10))');
  },
  missing: 'Python 3.10 or later is not on this machine',
  driver: ['python3', `${ROOT}test/client/python/driver.py`],
  env: { PYTHONPATH: `${ROOT}clients/python/src`, PYTHONDONTWRITEBYTECODE: '1' },
  reviver: (_key, value) => value,
};

export const php: ClientLanguage = {
  name: 'PHP',
  kinds: ['Waypost'],
  get isThere() {
    return succeeds(
      'php',
      '-r',
      `exit((int) (PHP_VERSION_ID < 80100 || array_diff(${EXTENSIONS}, get_loaded_extensions())));`,
    );
  },
  missing: 'PHP 8.1 or later with curl and pcntl is not on this machine',
  driver: ['php', '-d', 'display_errors=stderr', `${ROOT}test/client/php/driver.php`],
  env: {},
  // An object with the keys of a list is a list; so is one without any.
  reviver: (_key, value) =>
    isObject(value) && Object.keys(value).every((key, place) => key === String(place))
      ? Object.values(value)
      : value,
};

export const clientLanguages: readonly ClientLanguage[] = [python, php];

/** Each client of each language: at most so many of a language. */
export const drivenClients = (kindsEach = Number.POSITIVE_INFINITY) =>
  clientLanguages.flatMap((language) =>
    language.kinds.slice(0, kindsEach).map((kind) => ({
      language,
      kind,
      title: `the client ${kind} of ${language.name} (skipped where ${language.missing})`,
    })),
  );
