import { timelineSentence } from '../../../messages/timelineWords.ts';
import { statusLabel } from '../../../nudges/orderStatus.ts';
import { Badge, LinkLine, Panel, ZonedTime } from '../../kit/components.tsx';
import type { InShop, ShopVisit } from '../context.ts';
import { type Page, updatesItself } from '../layout.tsx';
import { messagesPath, orderPath } from '../messages/filters.tsx';
import { MessageTable } from '../messages/views.tsx';
import { PushButton } from '../push/filledIn.tsx';
import type { TrackedMessage, ViewedOrder } from './reads.ts';
import { FoldedSteps, ShipmentsPanel, statusTone } from './shipments.tsx';

type OrderProps = InShop<{ order: ViewedOrder }>;

/** One order: where it stands, whose it is, its shipments, and its messages in the order of time. */
export const orderPage = (visit: ShopVisit, order: ViewedOrder, seen: string): Page => ({
  title: `Order ${order.reference}`,
  at: 'messages',
  within: [],
  live: { seen },
  heading: (
    <header class="message-head">
      <div class="title-row">
        <h1 dir="auto">{`Order ${order.reference}`}</h1>
        <PushButton visit={visit} about={{ reference: order.reference }} />
      </div>
    </header>
  ),
  children: (
    <div class="column" {...updatesItself(visit.to(orderPath(order.reference)), 'order')}>
      <OrderParts visit={visit} order={order} />
    </div>
  ),
});

function OrderParts({ visit, order }: OrderProps) {
  const { shipments, now } = order;
  const customers = <CustomersPanel visit={visit} order={order} />;
  return (
    <>
      <div class="columns">
        {shipments.length === 0 ? (
          <>
            <StandsPanel order={order} />
            {customers}
          </>
        ) : (
          <>
            <div class="column">
              <StandsPanel order={order} />
              {customers}
            </div>
            <ShipmentsPanel shipments={shipments} now={now} />
          </>
        )}
      </div>
      <MessagesPanel visit={visit} order={order} />
    </>
  );
}

const StandsPanel = ({ order: { status, statusAt, steps, shipments } }: Pick<OrderProps, 'order'>) => (
  <Panel id="stands" title="Where it stands">
    {status === null || statusAt === null ? (
      <p class="hint">No message and no tracking event names a status that we know.</p>
    ) : (
      <>
        <p class="big-figure">{statusLabel(status)}</p>
        <p class="hint">
          Latest news: <ZonedTime at={statusAt} />
        </p>
        <FoldedSteps
          id="stands"
          steps={steps.map((step) => ({
            tone: statusTone(step.status),
            text: statusLabel(step.status),
            at: step.at,
            detail: shipments.length > 1 ? step.trackingNumber : null,
          }))}
        />
      </>
    )}
  </Panel>
);

const CustomersPanel = ({ visit, order: { customers, furtherCustomers } }: OrderProps) => (
  <Panel id="customer" title={customers.length === 1 ? 'Customer' : 'Customers'}>
    {customers.length === 0 ? (
      <p class="hint">No message and no tracking event names one yet.</p>
    ) : (
      <ul class="rows">{customers.map((customer) => customerRow(visit, customer))}</ul>
    )}
    {furtherCustomers > 0 && <p class="hint">{`And ${furtherCustomers} more.`}</p>}
  </Panel>
);

const customerRow = (visit: ShopVisit, { id, email }: ViewedOrder['customers'][number]) => (
  <li class="row">
    {id === null ? (
      <span>
        {email}
        <span class="hint">Named by a tracking event; nothing was pushed to them yet.</span>
      </span>
    ) : (
      <a href={visit.to(`/recipients/${id}`)}>{email}</a>
    )}
  </li>
);

const MessagesPanel = ({ visit, order: { reference, messages, hasOlder } }: OrderProps) => (
  <Panel id="messages" title={['Its messages ', <Badge tone="plain" text={String(messages.length)} />]}>
    {messages.length === 0 ? (
      <p class="hint">None yet: the order is known by its shipments.</p>
    ) : (
      <>
        <MessageTable
          visit={visit}
          messages={messages.map(({ message }) => message)}
          note={({ id }) => trackingNotes(messages.find(({ message }) => message.id === id)?.told ?? [])}
        />
        <LinkLine
          href={visit.to(messagesPath({ reference }))}
          label={hasOlder ? 'There are older ones: all messages of this order' : 'As a list, newest first'}
        />
      </>
    )}
  </Panel>
);

/** In the words of the message's own story. */
const trackingNotes = (told: TrackedMessage['told']) =>
  told.map(({ kind, at }) => (
    <span class="message-note">
      {timelineSentence({ kind, channel: null }, kind === 'skipped' ? 'already_told' : 'tracking')}{' '}
      <ZonedTime at={new Date(at)} near />
    </span>
  ));
