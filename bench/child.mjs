import { importTypescript } from '../scripts/importTypescript.mjs';

/*
 * node bench/child.mjs FILE.ts JSON : runs a part of the benchmark in its own process. The default export of FILE takes the
 * options and returns an object of functions. Messages call them, and are answered with the results.
 */

process.on('disconnect', () => process.exit(0));
const answer = (message) => process.send(JSON.stringify(message));
const [file = '', options = '{}'] = process.argv.slice(2);
const { default: open } = await importTypescript(file);
const part = await open(JSON.parse(options));
process.on('message', (message) => {
  const { name, argument } = JSON.parse(message);
  part[name](argument).then(
    (value) => answer({ value }),
    (error) => answer({ error: String(error?.stack ?? error) }),
  );
});
answer({});
