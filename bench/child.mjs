import { createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { importBench } from './importBench.mjs';

/*
 * node bench/child.mjs FILE.ts JSON : a part of the benchmark in a process of its own. The default export of FILE
 * takes the options and answers an object of functions, which are called by lines of JSON on stdin and answer by lines on
 * file descriptor 3.
 */

const [file = '', options = '{}'] = process.argv.slice(2);
const module = await importBench(file);
const answers = createWriteStream('', { fd: 3 });
const answer = (message) => answers.write(`${JSON.stringify(message)}\n`);

const part = await module.default(JSON.parse(options));
answer({ id: 0, value: 'null' });
for await (const line of createInterface({ input: process.stdin })) {
  const { id, name, argument } = JSON.parse(line);
  // Not awaited: a second call may be what ends the first.
  part[name](argument).then(
    (value) => answer({ id, value: JSON.stringify(value ?? null) }),
    (error) => answer({ id, error: String(error?.stack ?? error) }),
  );
}
process.exit(0);
