// A receiver for the provider `http` (http.md): prints each message in place of sending it, and reports it delivered.
// Node 20 or later, no packages. A line such as "+37255550136 STOP" typed into it counts as a text from that number.
//   HTTP_PROVIDER_SECRET=whsec_… HTTP_PROVIDER_CALLBACK_SECRET=whsec_… PORT=8026 node http-example.mjs
import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';

const { HTTP_PROVIDER_SECRET, HTTP_PROVIDER_CALLBACK_SECRET, PORT = '8026' } = process.env;
const TOLERANCE_S = 300;
const BODY_BYTES_MAX = 256 * 1024;
const REMEMBERED_MS = 72 * 3_600_000;
const REPEAT_AFTER_S = [5, 300, 1_800, 7_200, 18_000, 36_000];

/** The answers, by the id of the request. A real receiver keeps them in its database, where a restart loses none. */
const answers = new Map();
/** Says where a text from somebody goes to. */
let latestText = null;

const print = (line) => process.stdout.write(`${line}\n`);
const now = () => Math.floor(Date.now() / 1_000);

function signatureOf(secret, id, time, body) {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${time}.`).update(body).digest('base64')}`;
}

function isGenuine({ 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': given }, body) {
  if (!id || !given || !(Math.abs(now() - Number(time)) <= TOLERANCE_S)) return false;
  const expected = Buffer.from(signatureOf(HTTP_PROVIDER_SECRET, id, time, body));
  const isEqual = (one) => one.length === expected.length && timingSafeEqual(one, expected);
  return given.split(' ').some((one) => isEqual(Buffer.from(one)));
}

/** The answer is remembered before anything is sent: the same request again sends nothing. */
function take(id, message) {
  const { v, channel, from, to, text, template, callback } = message;
  if (v !== 1 || !to) return [422, { status: 'refused', code: 'other' }];
  answers.set(id, [202, { status: 'accepted', id: randomUUID() }]);
  setTimeout(() => answers.delete(id), REMEMBERED_MS).unref();
  if (channel === 'sms') latestText = message;
  print(`${channel} from ${from.address ?? from} to ${to}: ${text ?? template.parameters.join(', ')}`);
  setImmediate(report, callback, { type: 'status', id, status: 'delivered' });
  return answers.get(id);
}

const report = (url, event) =>
  callBack(url, randomUUID(), JSON.stringify({ v: 1, ...event, at: new Date().toISOString() }));

/** Until it is taken or never will be: with the same id and body, signed anew each time. */
async function callBack(url, id, body, [wait, ...waits] = REPEAT_AFTER_S) {
  const time = String(now());
  const signature = signatureOf(HTTP_PROVIDER_CALLBACK_SECRET, id, time, body);
  const headers = { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signature };
  const call = fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(10_000) });
  const status = await call.then((response) => response.status).catch(() => 599);
  print(`callback ${id}: ${status}`);
  if ((status === 429 || status >= 500) && wait) setTimeout(callBack, wait * 1_000, url, id, body, waits);
}

async function answer(request, response) {
  let body = Buffer.alloc(0);
  for await (const part of request) {
    body = Buffer.concat([body, part]);
    if (body.length > BODY_BYTES_MAX) throw new Error('too long');
  }
  const id = request.headers['webhook-id'];
  if (!isGenuine(request.headers, body)) return response.writeHead(401).end();
  if (request.method === 'GET') return response.writeHead(204).end();
  const [status, said] = answers.get(id) ?? take(id, JSON.parse(body));
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(said));
}
const server = createServer((request, response) => answer(request, response).catch(() => response.destroy()));
server.listen(Number(PORT), '127.0.0.1', () => print(`listening on port ${server.address().port}`));

createInterface({ input: process.stdin }).on('line', (line) => {
  const [, from, text] = /^(\+\d+) (.+)$/.exec(line) ?? [];
  const { from: to, callback } = latestText ?? {};
  if (from && to) report(callback, { type: 'inbound', channel: 'sms', from, to, text, id: randomUUID() });
});
