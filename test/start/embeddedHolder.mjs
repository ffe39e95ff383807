import { joinEmbedded, startEmbedded } from '../../src/db/embedded/embedded.ts';

/*
 * A process of its own that holds an embedded Postgres, as the server does or as a command does, with the arguments
 *   start|join DATA_DIR
 * Says in one line of JSON how it went; on SIGTERM it stops properly.
 */
const [role, dataDir] = process.argv.slice(2);
const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
try {
  const open = role === 'start' ? startEmbedded : joinEmbedded;
  const postgres = await open({ dataDir, settings: { fsync: 'off' } });
  // As the open port of a server does: waiting to start a crashed Postgres again does not.
  const alive = setInterval(() => {}, 60_000);
  process.on('SIGTERM', async () => {
    clearInterval(alive);
    await Promise.all([postgres.stop(), postgres.stop()]); // nothing must keep the process after that
  });
  say({ url: postgres.url });
} catch (error) {
  say({ problem: error.constructor.name === 'OperatorError' ? error.message : String(error.stack) });
  process.exitCode = 1;
}
