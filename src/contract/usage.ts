import {
  Component,
  Formatted,
  Int,
  List,
  Nullable,
  Num,
  OneOf,
  Optional,
  Shape,
  Text,
  type ValueOf,
} from './schema.ts';

export const UsageQueryParams = Shape({
  from: Optional(Formatted('date', 'The first day, in UTC. By default 29 days before `to`.')),
  to: Optional(Formatted('date', 'The last day, in UTC; at most 400 days after `from`. By default today.')),
  interval: Optional(OneOf(['day', 'month'], 'The length of a period; by default a day.')),
});

const paid = {
  sent: Int('A provider accepted it, or may have.'),
  delivered: Int(),
  failed: Int(),
  rejected: Int(),
  skipped: Int('Decided against, at the push or later.'),
};
const credits = Int('Credits charged, less refunds. A refund counts on its own day.');

const figures = {
  messages: Int('Messages created.'),
  email: Shape({
    sent: Int('A provider accepted it, or may have.'),
    delivered: Int(),
    opened: Int('Messages opened for the first time.'),
    bounced: Int(),
    complained: Int(),
    failed: Int(),
    not_sent: Int('Decided against, at the push or later.'),
  }),
  sms: Shape({ ...paid, credits }),
  whatsapp: Shape({ ...paid, read: Int(), credits }),
  avoided: Shape(
    {
      opened_first: Int('The customer opened the message in time.'),
      whatsapp_sufficed: Int('The WhatsApp message arrived, so its fallback text was not needed.'),
      retracted: Int('The message was retracted or made obsolete first.'),
      credits: Int('What these would have cost.'),
    },
    'Paid messages that were held and never had to go.',
  ),
  median_minutes_to_open: Nullable(
    Num(),
    'From the push to the first opening, within 10 %. null: nothing was opened.',
  ),
};

const UsageFigures = Component('UsageTotal', { ...figures, period: Nullable(Text()) });
export type UsagePeriod = ValueOf<typeof UsageFigures>;

export const UsageReport = Component('Usage', {
  items: List(
    Component('UsagePeriod', { period: Text('`2026-08-20`, or `2026-08` by month.'), ...figures }),
    'Every period of the range, oldest first.',
  ),
  total: UsageFigures,
});
export type UsageReport = ValueOf<typeof UsageReport>;
