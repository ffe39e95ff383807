import { ROOT } from '../prepare.mjs';

/** The operations are data: what describes them needs neither a database nor a server. */
const FACTORIES = {
  push: 'pushOperations',
  messages: 'messageOperations',
  usage: 'usageOperations',
  keys: 'keyOperations',
  recipients: 'recipientOperations',
  erasure: 'erasureOperations',
  endpoints: 'endpointOperations',
  deliveries: 'deliveryOperations',
  events: 'eventOperations',
};

/** Stands in for everything that a handler would use; no handler runs here. */
const unused = new Proxy(() => {}, {
  get: (_, name) => (name === Symbol.toPrimitive ? () => 0 : unused),
  apply: () => unused,
});

/** The OpenAPI document of the built server. A test compares it with the one that a server serves. */
export async function builtDocument() {
  const built = (path) => import(new URL(`file://${ROOT}/dist/api/${path}`).href);
  const { openApiDocument } = await built('openapi.js');
  const operations = [];
  for (const [file, factory] of Object.entries(FACTORIES)) {
    const module = await built(`operations/${file}.js`);
    operations.push(...module[factory](unused));
  }
  return JSON.parse(JSON.stringify(openApiDocument(operations, 'http://localhost:8080')));
}
