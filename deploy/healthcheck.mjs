/*
 * The image's health check: whether the process answers /healthz. The image has no curl. Where PORT is 0 nobody knows the
 * port, so such a container needs a check of its own.
 */
const { HOST = '0.0.0.0', PORT = '8080' } = process.env;
const everywhere = HOST === '0.0.0.0' || HOST === '::';
const host = everywhere ? '127.0.0.1' : HOST.includes(':') ? `[${HOST}]` : HOST;

try {
  const response = await fetch(`http://${host}:${PORT}/healthz`, { signal: AbortSignal.timeout(4_000) });
  if (!response.ok) throw new Error(`it answered ${response.status}`);
} catch (error) {
  const { message } = error.cause ?? error;
  process.stderr.write(`Waypost is not healthy on ${host}:${PORT}: ${message}.\n`);
  process.exitCode = 1;
}
