import type { ConnectionKind } from '../../../connections/kinds/kind.ts';
import { SUBSCRIPTION_QUERY } from '../../../connections/kinds/saleor.ts';
import type { Children } from '../../../kit/jsxRuntime.ts';
import { CodeBlock } from '../../kit/code.tsx';

/** What stands in the steps of one connection. */
export interface StepFacts {
  address: string;
  /** Null: it is not known here, because it is shown once, or is the other side's. */
  secret: string | null;
}

/** What to do in the other side's settings, in its own words. */
export const stepsFor = (kind: ConnectionKind, facts: StepFacts): readonly Children[] => STEPS[kind](facts);

const STEPS: Readonly<Record<ConnectionKind, (facts: StepFacts) => readonly Children[]>> = {
  woocommerce: (facts) => [
    <p>
      In the admin of your WordPress site, open {menu('WooCommerce', 'Settings', 'Advanced', 'Webhooks')} and
      choose <strong>Add webhook</strong>.
    </p>,
    <>
      <p>Fill the form in:</p>
      {fields([
        ['Name', 'Waypost'],
        ['Status', 'Active'],
        ['Topic', 'Order updated'],
        ['Delivery URL', copied('Delivery URL', facts.address)],
        ['Secret', secretOf(facts)],
        ['API Version', 'WP REST API Integration v3'],
      ])}
    </>,
    <p>
      Choose <strong>Save webhook</strong>. Your store calls us at once, and the note on this page turns
      green.
    </p>,
    <p>
      Do the same three more times, with the same Delivery URL and the same Secret, for the topics{' '}
      <strong>Order created</strong>, <strong>Order deleted</strong> and <strong>Order restored</strong>.
    </p>,
  ],
  shopify: (facts) => [
    <p>
      In your Shopify admin, open {menu('Settings', 'Notifications', 'Webhooks')} and choose{' '}
      <strong>Create webhook</strong>.
    </p>,
    <>
      <p>Fill the form in:</p>
      {fields([
        ['Event', 'Order creation'],
        ['Format', 'JSON'],
        ['URL', copied('URL', facts.address)],
        ['Webhook API version', 'The newest that is no “unstable” and no “release candidate”'],
      ])}
    </>,
    <>
      <p>
        Choose <strong>Save</strong>, and do the same with the same URL for these events:{' '}
        {strongList([
          'Order update',
          'Order cancellation',
          'Fulfillment creation',
          'Fulfillment update',
          'Refund create',
        ])}
        .
      </p>
      <p class="hint">The names differ a little between Shopify’s languages and versions.</p>
    </>,
    <p>
      Below the list of webhooks Shopify says “Your webhooks will be signed with”, and a long word. Copy that
      word, and save it as the signing secret below: without it we refuse every call.
    </p>,
    <p>
      Beside one of the webhooks, open the <strong>…</strong> menu and choose{' '}
      <strong>Send test notification</strong>. The note on this page turns green.
    </p>,
  ],
  saleor: (facts) => [
    <p>
      In Saleor’s dashboard, open {menu('Extensions', 'Add extension', 'Provide details manually')}. Name it
      “Waypost”, give it the permission <strong>Manage orders</strong>, and save it. In older versions this is{' '}
      {menu('Apps', 'Create App')}, or <strong>Local apps</strong>.
    </p>,
    <p>
      On the page of the new app, choose <strong>Create Webhook</strong>.
    </p>,
    <>
      <p>Fill the form in:</p>
      {fields([
        ['Webhook Name', 'Waypost'],
        ['Target URL', copied('Target URL', facts.address)],
        ['Secret Key', 'Leave it empty: Saleor then signs with a key of its own, which we check.'],
        [
          'Asynchronous events',
          'Order: confirmed, cancelled, fully refunded. Fulfillment: created, approved, tracking number updated.',
        ],
        ['Subscription Query', copied('Subscription Query', SUBSCRIPTION_QUERY)],
      ])}
    </>,
    <p>
      Set it to <strong>active</strong>, and save. Confirm an order of your own: the note on this page turns
      green.
    </p>,
  ],
  aftership: (facts) => [
    <p>
      In the admin of AfterShip Tracking, open {menu('Settings', 'Notifications', 'Webhooks')}. The page shows
      a <strong>webhook secret</strong>: copy it, and save it as the signing secret below. It comes first,
      because AfterShip tries an address before it takes it.
    </p>,
    <>
      <p>
        Choose <strong>Add webhook</strong>, and fill the form in:
      </p>
      {fields([
        ['Webhook version', 'The newest'],
        ['Webhook URL', copied('Webhook URL', facts.address)],
        ['Triggers', 'All delivery statuses'],
      ])}
    </>,
    <p>
      Choose <strong>Send test webhook</strong>, and save. The note on this page turns green.
    </p>,
  ],
  easypost: (facts) => [
    <p>
      In EasyPost’s dashboard, open {menu('Webhooks')} and choose <strong>Add Webhook</strong>.
    </p>,
    <>
      <p>Fill the form in:</p>
      {fields([
        ['Environment', 'Production'],
        ['Webhook URL', copied('Webhook URL', facts.address)],
        ['Webhook Secret', secretOf(facts)],
        ['Event types', 'tracker.created and tracker.updated, where it asks'],
      ])}
    </>,
    <p>Save. The note on this page turns green with the first news of a parcel.</p>,
  ],
  shippo: (facts) => [
    <p>
      In Shippo’s portal, open {menu('Settings', 'API', 'Webhooks')} and choose <strong>Add webhook</strong>.
    </p>,
    <>
      <p>Fill the form in:</p>
      {fields([
        ['Event type', 'Track Updated'],
        ['Mode', 'Live'],
        [
          'URL',
          facts.secret === null
            ? [copied('URL', `${facts.address}?token=…`), ONCE]
            : copied('URL', `${facts.address}?token=${facts.secret}`),
        ],
      ])}
      <p class="hint">
        The address ends in the secret, because Shippo signs its calls for few accounts only. Keep it as you
        would keep a password.
      </p>
    </>,
    <p>
      Save, and choose <strong>Test</strong>. The note on this page turns green.
    </p>,
  ],
  karrio: (facts) => [
    <p>
      In karrio’s dashboard, open {menu('Developers', 'Webhooks')} and choose <strong>Add endpoint</strong>.
    </p>,
    <>
      <p>Fill the form in:</p>
      {fields([
        ['Endpoint URL', copied('Endpoint URL', facts.address)],
        ['Events', 'tracker_created and tracker_updated'],
      ])}
    </>,
    <p>
      The page of the new endpoint shows its <strong>signing secret</strong>. Copy it, and save it as the
      signing secret below: without it we refuse every call.
    </p>,
    <p>
      Choose <strong>Test</strong>. The note on this page turns green.
    </p>,
  ],
};

const ONCE = <p class="hint">The secret was shown when it was made, and is not shown again.</p>;

const secretOf = ({ secret }: StepFacts): Children => (secret === null ? ONCE : copied('Secret', secret));

const copied = (label: string, text: string) => (
  <div class="wrapped">
    <CodeBlock label={label}>{text}</CodeBlock>
  </div>
);

/** A way through menus. */
const menu = (...names: readonly string[]) => <strong>{names.join(' → ')}</strong>;

const strongList = (names: readonly string[]): Children =>
  names.map((name, place) => [
    place === 0 ? '' : place === names.length - 1 ? ' and ' : ', ',
    <strong>{name}</strong>,
  ]);

/** The fields of the other side's form, with what goes into each. */
const fields = (rows: readonly (readonly [name: string, value: Children])[]) => (
  <dl class="store-form">
    {rows.map(([name, value]) => (
      <div>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);
