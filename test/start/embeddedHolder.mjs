/*
 * A process of its own that holds an embedded Postgres, as the server does or as a command does:
 *   node embeddedHolder.mjs start|join DATA_DIR [folder of the built source]
 * Says in one line of JSON how it went; on SIGTERM it stops properly.
 */
const [role, dataDir, dist = new URL('../../dist', import.meta.url).pathname] = process.argv.slice(2);
const { startEmbedded, joinEmbedded } = await import(`${dist}/db/embedded/embedded.js`);

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
