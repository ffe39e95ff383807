import { execFile, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { php } from './languages.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FOLDER = join(ROOT, 'clients', 'php');
const run = promisify(execFile);
const read = (name: string): string => readFileSync(join(FOLDER, name), 'utf8');

/** What came after PHP 8.1: classes that are readonly, types of constants, unions of intersections, and what libraries gained. */
const TOO_NEW =
  /\breadonly class\b|\bconst (?:string|int|float|bool|array) [A-Z]|\(\w+&\w+\)\||\bjson_validate\(|\bRandom\\|\barray_(?:find|any|all)\(/;

/** Prints what is no PHP, and the classes of ours that are named and do not exist. */
const CHECK = `
require '${ROOT}test/client/php/autoload.php';
foreach (json_decode(stream_get_contents(STDIN), true) as $name => $source) {
    try {
        token_get_all($source, TOKEN_PARSE);
    } catch (ParseError $error) {
        echo "$name: {$error->getMessage()}\\n";
    }
    preg_match_all('/\\\\bWaypost(?:\\\\\\\\\\\\w+)+/', $source, $found);
    foreach ($found[0] as $class) {
        $isThere = class_exists($class) || interface_exists($class) || enum_exists($class);
        echo $isThere || str_contains($source, "namespace $class;") ? '' : "$name: there is no $class\\n";
    }
}`;

/** Prints every method by its resource. */
const METHODS = `
require '${ROOT}test/client/php/autoload.php';
$client = new Waypost\\Waypost('http://a', 'way_live_x');
foreach (get_object_vars($client) as $name => $resource) {
    $methods[$name] = array_values(array_diff(get_class_methods($resource), ['__construct']));
}
echo json_encode($methods);`;

/** The methods of each resource, in any order, as the page of a client lists them. */
const listedIn = (client: string): Record<string, string[]> => {
  const page = readFileSync(join(ROOT, 'clients', client, 'README.md'), 'utf8');
  const rows = page.matchAll(/^\| `\$?waypost(?:\.|->)(\w+)`(?:, `.*usage`)? +\| (`.+`)/gm);
  return Object.fromEntries(
    Array.from(rows, ([, resource, methods = '']) => [
      resource,
      Array.from(methods.matchAll(/`(\w+)`/g), ([, name = '']) => name).sort(),
    ]),
  );
};

describe.skipIf(!php.isThere)(`the PHP client by itself (skipped where ${php.missing})`, () => {
  test('its own tests pass', async () => {
    const { stdout } = await run('php', ['tests/run.php'], { cwd: FOLDER });
    expect(stdout).toMatch(/^Ran \d\d+ tests: OK\n$/);
  });

  test('its reference is that of its source', async () => {
    const { stdout } = await run('php', [join(ROOT, 'scripts', 'client', 'php_reference.php')]);
    const reference = readFileSync(join(ROOT, 'docs', 'clients', 'php-reference.md'), 'utf8');
    expect(reference, 'run npm run client -- php').toBe(stdout);
  });

  test('it has the methods of the TypeScript client, and its page lists all of them', async () => {
    const { usage, ...methods }: Record<string, string[]> = JSON.parse(
      (await run('php', ['-r', METHODS])).stdout,
    );
    expect(usage).toEqual(methods.credits);
    for (const names of Object.values(methods)) names.sort();
    expect(listedIn('php')).toEqual(methods);
    expect(listedIn('php')).toEqual(listedIn('typescript'));
  });

  test('its source, its examples and its README are PHP 8.1, and name classes that there are', () => {
    const files = ['src', 'examples'].flatMap((folder) =>
      readdirSync(join(FOLDER, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.php'))
        .map((name) => join(folder, name)),
    );
    const blocks = [...read('README.md').matchAll(/```php\n(.*?)```/gs)].map(([, code = '']) => code);
    expect(files.length).toBeGreaterThan(50);
    expect(blocks.length).toBeGreaterThan(4);
    const sources = Object.fromEntries([
      ...files.map((name) => [name, read(name)]),
      ...blocks.map((code, nth) => [`block ${nth} of README.md`, `<?php\n${code}`]),
    ]);
    const input = JSON.stringify(sources);
    const { stdout, stderr } = spawnSync('php', ['-r', CHECK], { input, encoding: 'utf8' });
    expect([stdout, stderr]).toEqual(['', '']);
    expect(Object.keys(sources).filter((name) => TOO_NEW.test(sources[name]))).toEqual([]);
  });
});
