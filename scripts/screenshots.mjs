import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import { fail, prepare, ROOT, say } from './prepare.mjs';

/*
 * npm run screenshots            draws the pictures of docs/dashboard.md anew, each page at three widths, in the light and in the dark; what a
 *                                customer sees of an order on a phone; the sandbox; and the picture of the home page
 * npm run screenshots -- WORD …  only the pictures whose names have one of the words
 * Starts a sandbox of its own with a month of a shop in it, and some other shops. CHROMIUM_PATH names the browser, if it is not at its usual place.
 */

const IMAGES = join(ROOT, 'docs', 'images');
const SCREENS = [
  { width: 320, height: 900 },
  { width: 768, height: 900 },
  { width: 1440, height: 900 },
];
const SCHEMES = ['light', 'dark'];
const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, reducedMotion: 'reduce' };
/** On the picture, all screens of a scheme stand in one row of this height. */
const ROW_HEIGHT = 450;
const HOME = { width: 1240, height: 700 };
const DAYS = 29;
/** The order whose parcel is on its way, and its customer. */
const PARCEL = { reference: '#1100', recipient_email: 'gina@example.com' };
const TRACKING_NUMBER = 'JD0146000912';
const HOUR_MS = 3_600_000;
/** What happens to it on the last days, each at the time of the sandbox. */
const PARCEL_DAYS = {
  [DAYS - 2]: (post) => pushParcel(post, 'confirmed'),
  [DAYS - 1]: (post, now) =>
    pushParcel(post, 'shipped', {
      shipment: {
        tracking_number: TRACKING_NUMBER,
        carrier: 'Omniva',
        tracking_url: `https://track.example/${TRACKING_NUMBER}`,
        expected_on: new Date(now + 24 * HOUR_MS).toISOString().slice(0, 10),
      },
    }),
  [DAYS]: reportParcel,
};
const OPERATOR = 'operator@waypost.example';
const SUBJECTS = {
  confirmed: 'We have your order',
  shipped: 'Your order has shipped',
  ready_for_pickup: 'Your order is ready for pickup',
  delivered: 'Your order was delivered',
};
/** What the carrier reports of the first order's parcel, by day. */
const STOPS = {
  0: [['label_created', null]],
  1: [
    ['picked_up', 'Tallinn'],
    ['in_transit', 'Sorting centre Riga'],
  ],
  2: [['out_for_delivery', 'Vilnius']],
  3: [['delivered', 'Front door']],
};
/** What a store tells, and the time in which it is handled. */
const WATCHED = [
  [2001, 'processing'],
  [2002, 'processing'],
  [2003, 'completed'],
  [2004, 'cancelled'],
];
const HANDLED_WITHIN_MS = 3_000;
const DELIVERED_WITHIN_MS = 100;
/** What becomes of a message, the sandbox knows by the address and the end of the number. */
const CUSTOMERS = [
  { name: 'ann', sms: '+37255501300', opens: true },
  { name: 'ben', whatsapp: '+37255501342' },
  { name: 'chloe', opens: true },
  { name: 'dora', sms: '+37255501303' },
  { name: 'helena.von.der.heide-lindenstrauss', sms: '+37255501304', opens: true },
  { name: 'emil', channels: ['sms'] },
  { name: 'frida', opens: true },
  { name: 'ivo', sms: '+37255509003' },
  { name: 'kalle', opens: true },
  { name: 'liis', whatsapp: '+37255509008' },
  { name: 'bounce' },
  { name: 'mari', sms: '+358401234567', opens: true },
  { name: 'refuse' },
  { name: 'oskar', opens: true },
  { name: 'pille', sms: '+37255509001' },
];
const BETWEEN_PUSHES_SECONDS = 1_800;
const DAY_SECONDS = 86_400;
/** The other shops of the operator, with how they are made and changed afterwards. */
const SHOPS = [
  ['Kuusk & Mänd Käsitöö- ja Raamatupood OÜ', ['--credits', '500']],
  ['Tartu Teas', ['--credits', '2000'], ['--plan', 'past_due']],
  ['Nordic Wool', []],
  ['Bike Shop Riga', ['--credits', '120'], ['--paused', 'true']],
  ['Helsinki Prints', ['--credits', '900']],
  ['Lumi & Leht', [], ['--active', 'false']],
  ['Acme Books', ['--credits', '40']],
];

const words = process.argv.slice(2);
const isWanted = (name) => words.length === 0 || words.some((word) => name.includes(word));
const data = await mkdtemp(join(tmpdir(), 'waypost-screenshots-'));
await chmod(data, 0o711); // as root the database runs as another user, who must reach it
const receiver = createServer((request, response) => {
  request.resume();
  response.writeHead(request.url === '/orders' ? 204 : 503).end();
}).listen(0, '127.0.0.1');
await once(receiver, 'listening');
const hooks = `127.0.0.1:${receiver.address().port}`;
const environment = {
  ...process.env,
  DATA_DIR: data,
  PORT: '0',
  WEBHOOK_ALLOW_HOSTS: hooks,
  LOG_LEVEL: 'error',
};
let server = null;
let failure = null;
try {
  await prepare();
  const base = await startSandbox();
  const shop = await liveThroughAMonth(base);
  await openOtherShops();
  await waypost('operator', 'add', OPERATOR);
  await draw(base, shop);
} catch (error) {
  failure = error;
}
server?.kill('SIGTERM');
if (server) await once(server, 'exit');
receiver.close();
await rm(data, { recursive: true, force: true });
if (failure !== null) fail(failure);

async function startSandbox() {
  server = spawn(process.execPath, [join(ROOT, 'dist', 'program', 'start.js')], { env: environment });
  let printed = '';
  for await (const chunk of server.stdout) {
    printed += chunk;
    const [, url] = /running at (http:\S+)/.exec(printed) ?? [];
    if (url && printed.includes('/sandbox')) return url;
  }
  throw new Error(`The sandbox did not start: ${printed}`);
}

async function waypost(...args) {
  const child = spawn(process.execPath, [join(ROOT, 'dist', 'program', 'cli.js'), ...args], {
    env: environment,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let printed = '';
  child.stdout.on('data', (chunk) => {
    printed += chunk;
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`waypost ${args.join(' ')} failed.`);
  return printed;
}

async function openOtherShops() {
  for (const [name, terms, change] of SHOPS) {
    const made = JSON.parse(await waypost('business', 'create', '--name', name, ...terms, '--json'));
    if (change) await waypost('business', 'set', made.business_id, ...change);
  }
}

/** A shop with some customers, a webhook that works and one that does not, and replies. */
async function liveThroughAMonth(base) {
  const { api_key: key, business_id: id } = JSON.parse(await readFile(join(data, 'demo.json'), 'utf8'));
  const post = async (path, body, once = undefined, method = 'POST') => {
    const response = await fetch(base + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        ...(once && { 'idempotency-key': once }),
      },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
    return response.json();
  };
  await post('/api/v1/webhook-endpoints', { url: `http://${hooks}/orders`, description: 'Order service' });
  await post('/api/v1/webhook-endpoints', { url: `http://${hooks}/reports`, description: 'Reports' });
  await post('/api/v1/keys', { name: 'Shop backend' });
  await post(
    '/api/v1/orders/%231001/shipments/CC123456789EE',
    { carrier: 'Example Post', tracking_url: 'https://track.example/CC123456789EE' },
    undefined,
    'PUT',
  );
  let latest = null;
  for (let day = 0; day <= DAYS; day += 1) {
    const pushes = 6 + ((day * 5) % 11);
    const { now } = await post('/sandbox/clock', {
      advance_seconds: day > 0 ? DAY_SECONDS - pushes * BETWEEN_PUSHES_SECONDS : 1,
    });
    for (const [status, location] of STOPS[day] ?? []) {
      const event = {
        tracking_number: 'CC123456789EE',
        status,
        at: now,
        location,
        recipient_email: 'ann@example.com',
      };
      await post('/api/v1/orders/%231001/tracking', event, status);
    }
    // A week has its rhythm.
    for (let n = 0; n < pushes; n += 1) {
      await post('/sandbox/clock', { advance_seconds: BETWEEN_PUSHES_SECONDS });
      const order = 1001 + day * 3 + (n % 3);
      const status = Object.keys(SUBJECTS)[(day + n) % 4];
      const { name, sms, whatsapp, channels, opens } = CUSTOMERS[(day * 4 + n) % CUSTOMERS.length];
      latest = await post(
        '/api/v1/messages',
        {
          recipient_email: `${name}@example.com`,
          reference: `#${order}`,
          order_status: status,
          subject: `${SUBJECTS[status]} (#${order})`,
          body: 'Thank you for shopping with us.\n\nTrack your parcel: https://track.example/1001',
          ...(channels && { channels }),
          ...(sms && { recipient_phone: sms, channels: ['sms'] }),
          ...(whatsapp && {
            recipient_phone: whatsapp,
            channels: ['whatsapp'],
            whatsapp_opt_in: { source: 'checkout' },
          }),
        },
        `${day}-${n}`,
      );
      if (opens) await openNewestMail(base, `${name}@example.com`);
    }
    await PARCEL_DAYS[day]?.(post, await timeIn(base));
  }
  await post('/sandbox/clock', { advance_seconds: 120 });
  await post('/sandbox/whatsapp/inbound', {
    from: '+37255501342',
    body: 'Can I pick it up on Saturday?',
    business_id: id,
  });
  return {
    id,
    messageId: latest.id,
    endpoint: await brokenEndpoint(base, key),
    connection: await watchedStore(base, id),
  };
}

/** As the page behind the link of a mail does, once somebody really looks at it. */
async function openNewestMail(base, address) {
  await setTimeout(DELIVERED_WITHIN_MS);
  const [link] = inboxLinkIn(await newestMailTo(base, address)) ?? [];
  const headers = { 'sec-fetch-site': 'same-origin' };
  if (link) await fetch(base + new URL(link).pathname, { method: 'POST', redirect: 'manual', headers });
}

function inboxLinkIn(mail) {
  return /https?:\/\/\S+\/i\/\S+/.exec(mail?.text ?? '');
}

/** A store that is watched, with some orders. */
async function watchedStore(base, id) {
  const made = await waypost('connection', 'add', id, 'woocommerce', '--name', 'The shop', '--json');
  const { connection_id: connection, address, secret } = JSON.parse(made);
  const now = new Date(await timeIn(base)).toISOString().slice(0, 19);
  for (const [number, status] of WATCHED) {
    const body = JSON.stringify({
      id: number,
      number: String(number),
      status,
      date_created_gmt: now,
      date_modified_gmt: now,
      date_paid_gmt: now,
      date_completed_gmt: status === 'completed' ? now : null,
      billing: { email: 'mari@example.com', first_name: 'Mari', phone: '', country: 'EE' },
      line_items: [
        { name: 'Wool scarf', quantity: 1 },
        { name: 'Candle', quantity: 2 },
      ],
      meta_data: [],
    });
    const signature = createHmac('sha256', secret).update(body).digest('base64');
    await fetch(base + new URL(address).pathname, {
      method: 'POST',
      headers: { 'x-wc-webhook-topic': 'order.updated', 'x-wc-webhook-signature': signature },
      body,
    });
  }
  await setTimeout(HANDLED_WITHIN_MS);
  return connection;
}

async function timeIn(base) {
  const { now } = await (await fetch(`${base}/sandbox/clock`)).json();
  return Date.parse(now);
}

function pushParcel(post, status, more = {}) {
  const text = { subject: SUBJECTS[status], body: 'Thank you for shopping with us.' };
  return post('/api/v1/messages', { ...PARCEL, order_status: status, ...text, ...more }, `parcel-${status}`);
}

async function reportParcel(post, now) {
  for (const [status, hoursAgo, location] of [
    ['picked_up', 21, 'Riga'],
    ['in_transit', 12, 'Valga'],
    ['out_for_delivery', 1, 'Tallinn'],
  ])
    await post(
      `/api/v1/orders/${encodeURIComponent(PARCEL.reference)}/tracking`,
      { tracking_number: TRACKING_NUMBER, status, at: new Date(now - hoursAgo * HOUR_MS), location },
      `parcel-${status}`,
    );
}

async function brokenEndpoint(base, key) {
  const response = await fetch(`${base}/api/v1/webhook-endpoints`, {
    headers: { authorization: `Bearer ${key}` },
  });
  const { items } = await response.json();
  return items.find(({ url }) => url.endsWith('/reports')).id;
}

async function draw(base, { id, messageId, endpoint, connection }) {
  const ofShop = `/dashboard/${id}`;
  const pages = {
    overview: ofShop,
    messages: `${ofShop}/messages`,
    message: `${ofShop}/messages/${messageId}`,
    order: `${ofShop}/orders?reference=%231001`,
    push: `${ofShop}/push`,
    customers: `${ofShop}/recipients`,
    replies: `${ofShop}/replies`,
    keys: `${ofShop}/keys`,
    credits: `${ofShop}/credits`,
    connection: `${ofShop}/connections/${connection}`,
    webhooks: `${ofShop}/webhooks`,
    endpoint: `${ofShop}/webhooks/${endpoint}`,
    settings: `${ofShop}/settings`,
    channel: `${ofShop}/settings/channels/sms`,
    audit: `${ofShop}/settings/audit`,
    operator: '/dashboard/operator',
    shop: `/dashboard/operator/shops/${id}`,
    providers: '/dashboard/operator/providers',
    outbox: '/dashboard/operator/outbox',
  };
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
    args: ['--no-sandbox'],
  });
  const context = await browser.newContext({ reducedMotion: 'reduce' });
  const page = await context.newPage();
  await signIn(base, page);
  const sheet = await browser.newPage({ viewport: { width: 1600, height: 2 * ROW_HEIGHT } });
  for (const [name, path] of Object.entries(pages)) {
    if (!isWanted(name)) continue;
    await page.goto(base + path);
    await sheet.setContent(sheetOf(await shotsOf(page)));
    await sheet
      .locator('main')
      .screenshot({ path: join(IMAGES, 'dashboard', `${name}.jpg`), type: 'jpeg', quality: 78 });
    say(name);
  }
  await drawForCustomer(base, browser);
  if (isWanted('sandbox')) await drawSandbox(base, browser);
  if (isWanted('home')) await drawHome(base, browser, page, pages.messages);
  await browser.close();
}

/** What the customer sees of the order with the parcel. */
async function drawForCustomer(base, browser) {
  const mail = await newestMailTo(base, PARCEL.recipient_email);
  const [link] = inboxLinkIn(mail);
  const pages = {
    'mail-with-a-parcel': (page) => page.setContent(mail.html),
    'inbox-on-a-phone': async (page) => {
      await page.goto(base + new URL(link).pathname);
      await page.locator('#inbox').waitFor();
    },
  };
  for (const [name, open] of Object.entries(pages)) {
    if (!isWanted(name)) continue;
    const page = await (await browser.newContext(PHONE)).newPage();
    await open(page);
    await page.screenshot({ path: join(IMAGES, `${name}.png`) });
    say(name);
  }
}

async function drawSandbox(base, browser) {
  const viewport = { width: 1280, height: 1540 };
  const page = await (
    await browser.newContext({ viewport, colorScheme: 'dark', reducedMotion: 'reduce' })
  ).newPage();
  await page.goto(`${base}/sandbox?channel=sms`);
  await page.locator('a', { hasText: CUSTOMERS[0].sms }).first().click();
  await page.getByText('Reply as this').waitFor();
  await page.screenshot({ path: join(IMAGES, 'sandbox.png') });
  say('sandbox');
}

/** The list of messages, and before it the inbox on a phone. */
async function drawHome(base, browser, page, messages) {
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 1040, height: 650 });
  await page.goto(base + messages);
  const list = (await page.screenshot()).toString('base64');
  const phone = await browser.newPage({ viewport: { width: 340, height: 640 } });
  const [link] = inboxLinkIn(await newestMailTo(base, PARCEL.recipient_email));
  await phone.goto(base + new URL(link).pathname);
  await phone.locator('#inbox').waitFor();
  const inbox = (await phone.screenshot()).toString('base64');
  const sheet = await browser.newPage({ viewport: HOME });
  const picture = await sheet.evaluate(paintHome, { list, inbox, ...HOME });
  await writeFile(join(ROOT, 'src', 'pages', 'assets', 'home.webp'), Buffer.from(picture, 'base64'));
  say('home');
}

/** In the browser, which can write WebP. */
async function paintHome({ list, inbox, width, height }) {
  const canvas = Object.assign(document.createElement('canvas'), { width, height });
  const context = canvas.getContext('2d');
  const put = async (data, x, y, wide, high) => {
    const image = new Image();
    image.src = `data:image/png;base64,${data}`;
    await image.decode();
    context.save();
    context.beginPath();
    context.roundRect(x, y, wide, high, 16);
    Object.assign(context, { shadowColor: 'rgb(0 0 0 / 30%)', shadowBlur: 20, shadowOffsetY: 6 });
    context.fill();
    context.shadowColor = 'transparent';
    context.clip();
    context.drawImage(image, x, y, wide, high);
    context.restore();
  };
  await put(list, 20, 16, 1040, 650);
  await put(inbox, 920, 124, 288, 542);
  return canvas.toDataURL('image/webp', 0.82).split(',')[1];
}

async function newestMailTo(base, address) {
  const { items } = await (await fetch(`${base}/sandbox/outbox.json?to=${address}`)).json();
  return items[0];
}

/** The operator sees every page. */
async function signIn(base, page) {
  await page.goto(`${base}/dashboard/sign-in`);
  await page.getByLabel('Your email address').fill(OPERATOR);
  await page.getByRole('button', { name: 'Mail me a link' }).click();
  await page.getByRole('heading', { name: 'Check your mail' }).waitFor();
  for (;;) {
    const mail = await newestMailTo(base, OPERATOR);
    const [link] = /https?:\/\/\S+\/dashboard\/sign-in\/\S+/.exec(mail?.text ?? '') ?? [];
    if (link) {
      await page.goto(base + new URL(link).pathname);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading').first().waitFor();
      return;
    }
  }
}

async function shotsOf(page) {
  const shots = [];
  for (const colorScheme of SCHEMES) {
    await page.emulateMedia({ colorScheme });
    for (const screen of SCREENS) {
      await page.setViewportSize(screen);
      shots.push((await page.screenshot()).toString('base64'));
    }
  }
  return shots;
}

/** All screens in one picture, those of a scheme in a row. */
function sheetOf(shots) {
  const images = shots.map((shot) => `<img src="data:image/png;base64,${shot}" alt="">`);
  const rows = SCHEMES.map((_, row) =>
    images.slice(row * SCREENS.length, (row + 1) * SCREENS.length).join(''),
  );
  return `<style>
    body { margin: 0 }
    main { display: inline-grid; gap: 16px; padding: 16px; background: #8a8f98 }
    div { display: flex; gap: 16px }
    img { height: ${ROW_HEIGHT}px; border-radius: 6px }
  </style><main>${rows.map((row) => `<div>${row}</div>`).join('')}</main>`;
}
