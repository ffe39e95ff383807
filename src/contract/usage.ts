import { Formatted, Int, List, Nullable, Num, OneOf, Optional, Shape, Text, type ValueOf } from './schema.ts';

export const UsageQueryParams = Shape({
  from: Optional(
    Formatted('date', { description: 'The first day, in UTC. By default 29 days before `to`.' }),
  ),
  to: Optional(
    Formatted('date', {
      description: 'The last day, in UTC; at most 400 days after `from`. By default today.',
    }),
  ),
  interval: Optional(OneOf(['day', 'month'], { description: 'The length of a period; by default a day.' })),
});

const paid = {
  sent: Int({ description: 'A provider accepted it, or may have.' }),
  delivered: Int(),
  failed: Int(),
  rejected: Int(),
  skipped: Int({ description: 'Decided against, at the push or later.' }),
};
const credits = Int({ description: 'Credits charged, less refunds. A refund counts on its own day.' });

const figures = {
  messages: Int({ description: 'Messages created.' }),
  email: Shape({
    sent: Int({ description: 'A provider accepted it, or may have.' }),
    delivered: Int(),
    opened: Int({ description: 'Messages opened for the first time.' }),
    bounced: Int(),
    complained: Int(),
    failed: Int(),
    not_sent: Int({ description: 'Decided against, at the push or later.' }),
  }),
  sms: Shape({ ...paid, credits }),
  whatsapp: Shape({ ...paid, read: Int(), credits }),
  avoided: Shape(
    {
      opened_first: Int({ description: 'The customer opened the message in time.' }),
      whatsapp_sufficed: Int({
        description: 'The WhatsApp message arrived, so its fallback text was not needed.',
      }),
      retracted: Int({ description: 'The message was retracted or made obsolete first.' }),
      credits: Int({ description: 'What these would have cost.' }),
    },
    { description: 'Paid messages that were held and never had to go.' },
  ),
  median_minutes_to_open: Nullable(Num(), {
    description: 'From the push to the first opening, within 10 %. null: nothing was opened.',
  }),
};

const UsageFigures = Shape({ ...figures, period: Nullable(Text()) }, { title: 'UsageTotal' });
export type UsagePeriod = ValueOf<typeof UsageFigures>;

export const UsageReport = Shape(
  {
    items: List(
      Shape(
        { period: Text({ description: '`2026-08-20`, or `2026-08` by month.' }), ...figures },
        { title: 'UsagePeriod' },
      ),
      { description: 'Every period of the range, oldest first.' },
    ),
    total: UsageFigures,
  },
  { title: 'Usage' },
);
export type UsageReport = ValueOf<typeof UsageReport>;
