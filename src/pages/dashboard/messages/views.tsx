import type { Children } from '../../../kit/jsxRuntime.ts';
import type { MessageWithPlan } from '../../../messages/plans.ts';
import { EmptyState, LinkButton, LinkLine, Pager, ZonedTime } from '../../kit/components.tsx';
import { ListTable } from '../../kit/listTable.tsx';
import type { InShop } from '../context.ts';
import { type Page, updatesItself } from '../layout.tsx';
import { MessageFilterForm, messagesPath, orderPath } from './filters.tsx';
import { OutcomeMarks } from './outcomes.tsx';
import type { MessagesFilter } from './query.ts';

type MessagesProps = InShop<{
  filter: MessagesFilter;
  /** The address of the person that the list is about. */
  email: string | null;
  /** The words of subjects that were searched for. */
  words: string | null;
  items: readonly MessageWithPlan[];
  /** The cursor of the next page. */
  older: string | null;
  /** What the list shows, for its stream of changes. */
  seen: string;
}>;

export function messagesPage(props: MessagesProps): Page {
  const { visit, filter, email, words, seen } = props;
  return {
    title: 'Messages',
    at: 'messages',
    live: { seen },
    searched: words ?? email ?? filter.reference,
    heading: (
      <div class="title-row">
        <h1 dir="auto">{titleOf(filter, email, words)}</h1>
        {visit.may('message.push') && <LinkButton href={visit.to('/push')} label="Push a message …" />}
      </div>
    ),
    children: (
      <>
        <MessageFilterForm visit={visit} filter={filter} />
        <div class="column" {...updatesItself(visit.to(messagesPath(filter)), 'found')}>
          <FoundMessages {...props} />
        </div>
      </>
    ),
  };
}

function titleOf({ reference }: MessagesFilter, email: string | null, words: string | null): string {
  const about = email ?? (reference === null ? null : `order ${reference}`);
  const title = about === null ? 'Messages' : `Messages about ${about}`;
  return words === null ? title : `${title} with “${words}”`;
}

/** The part of the page that updates itself. */
function FoundMessages(props: MessagesProps) {
  const { visit, filter, items, older } = props;
  const { recipient, reference } = filter;
  const isFiltered = Object.entries(filter).some(([name, value]) => name !== 'cursor' && value !== null);
  const to = (changed: Partial<MessagesFilter>, page = ''): string =>
    visit.to(messagesPath({ ...filter, cursor: null, ...changed }, page));
  const mayDownload = items.length > 0 && visit.may('message.export');
  return (
    <>
      {items.length === 0 ? (
        <NoMessages {...props} isFiltered={isFiltered} />
      ) : (
        <div class="panel list-panel">
          <MessageTable visit={visit} messages={items} />
        </div>
      )}
      <Pager
        links={[
          filter.cursor !== null && [to({}), 'Newest'],
          older !== null && [to({ cursor: older }), 'Older messages'],
          recipient !== null && [visit.to(`/recipients/${recipient}`), 'About this customer'],
          reference !== null && [visit.to(orderPath(reference)), 'About this order'],
          isFiltered && [visit.to('/messages'), 'All messages'],
          mayDownload && [to({}, '.csv'), 'Download as CSV'],
        ]}
      />
    </>
  );
}

/** A list of messages, one line each; `note` stands below a subject. */
export const MessageTable = ({
  visit,
  messages,
  note,
}: InShop<{ messages: readonly MessageWithPlan[]; note?: (message: MessageWithPlan) => Children }>) => (
  <ListTable
    caption="Messages"
    rows={messages}
    columns={[
      {
        title: 'Subject',
        place: 'name',
        cell: ({ id, subject }) => (
          <a id={`m-${id}`} href={visit.to(`/messages/${id}`)} dir="auto">
            {subject}
          </a>
        ),
      },
      { title: 'Customer', place: 'under', aside: true, cell: (message) => message.recipient_email },
      {
        title: 'Order',
        place: 'wide',
        aside: true,
        cell: ({ reference }) => <span dir="auto">{reference}</span>,
      },
      {
        title: 'State',
        place: 'mark',
        cell: (message) => (
          <span class="badges">
            <OutcomeMarks message={message} />
          </span>
        ),
      },
      {
        title: 'Pushed',
        place: 'end',
        aside: true,
        cell: (message) => <ZonedTime at={message.created_at} near />,
      },
    ]}
    {...(note && { note })}
  />
);

function NoMessages({ visit, isFiltered, older }: MessagesProps & { isFiltered: boolean }) {
  if (older !== null)
    return (
      <EmptyState
        title="None among the newest"
        text="There may be older ones: go on with “Older messages”."
      />
    );
  if (isFiltered)
    return (
      <EmptyState title="No message is like this">
        <LinkLine href={visit.to('/messages')} label="Show all messages" />
      </EmptyState>
    );
  return (
    <EmptyState title="No messages yet">
      <p>
        They appear here once your shop pushes one. <a href={visit.site.to('/docs')}>The reference</a> shows
        how.
      </p>
    </EmptyState>
  );
}
