import { createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { importBench } from './importBench.mjs';

/*
 * node bench/child.mjs FILE.ts JSON : runs a part of the benchmark in its own process. The default export of FILE takes the
 * options and returns an object of functions. Lines of JSON on stdin call them, and file descriptor 3 has the results.
 */

const [file = '', options = '{}'] = process.argv.slice(2);
const module = await importBench(file);
const answers = createWriteStream('', { fd: 3 });
const answer = (message) => answers.write(`${JSON.stringify(message)}\n`);

const part = await module.default(JSON.parse(options));
answer({ id: 0, value: 'null' });
for await (const line of createInterface({ input: process.stdin })) {
  const { id, name, argument } = JSON.parse(line);
  // Not awaited: a later call may end this one.
  part[name](argument).then(
    (value) => answer({ id, value: JSON.stringify(value ?? null) }),
    (error) => answer({ id, error: String(error?.stack ?? error) }),
  );
}
process.exit(0);
