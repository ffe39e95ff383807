import { TEXT_BODY_MAX, TEXT_SUBJECT_MAX } from '../config/limits.ts';
import { Bool, Component, List, Shape, Text, type ValueOf } from './schema.ts';

export const TextParams = Shape({
  order_status: Text('One of the order statuses.'),
  language: Text('One of our languages, such as en or pt.'),
});

export const TextBody = Component('OrderTextSource', {
  subject: Text({ max: TEXT_SUBJECT_MAX, blank: false, description: 'Liquid.' }),
  body: Text({ max: TEXT_BODY_MAX, blank: false, description: 'Liquid; what it renders is plain text.' }),
});
export type TextBody = ValueOf<typeof TextBody>;

export const TextView = Component('OrderText', {
  order_status: Text(),
  language: Text(),
  subject: Text(),
  body: Text(),
  is_default: Bool('true: our own words; nothing was set.'),
});
export type TextView = ValueOf<typeof TextView>;

export const TextList = Component('OrderTextList', { items: List(TextView) });
