import { actingKey } from '../../businesses/audit.ts';
import { knownStatus } from '../../contract/orderStatuses.ts';
import { TextBody, TextList, TextParams, TextView } from '../../contract/texts.ts';
import { ACTION_TRANSACTION, transaction } from '../../db/transaction.ts';
import { ApiError, type Fault, invalid } from '../../kit/errors.ts';
import { isLanguage } from '../../language/languages.ts';
import type { TextSource } from '../../texts/defaults.ts';
import { checkTextSource } from '../../texts/render.ts';
import { readTexts, resetText, saveText, type TextPlace, textView } from '../../texts/texts.ts';
import { json, type OperationDeps, operation } from '../operation.ts';

export const textOperations = (deps: OperationDeps) => [list(deps), set(deps), reset(deps)];

const source: TextSource = {
  subject: 'Your order {{ order.number }} is on its way',
  body: 'Hello{% if customer.first_name %} {{ customer.first_name }}{% endif %},\n\n{{ shipment.carrier }} has your parcel.',
};
const example = { order_status: 'shipped', language: 'en', ...source, is_default: false };

const list = ({ pool }: OperationDeps) =>
  operation({
    id: 'listTexts',
    method: 'GET',
    path: '/api/v1/texts',
    tag: 'Texts',
    summary: 'List the texts',
    access: ['read'],
    description:
      'The subject and the body of the messages that Waypost writes itself, for each order status in each language: yours, or ours ' +
      'where `is_default` is true.',
    success: { status: 200, shape: TextList, description: 'All of them.' },
    examples: { response: { items: [example] } },
    handle: async ({ caller }) => {
      const texts = await readTexts(pool, caller.businessId);
      return json(200, { items: texts.map(({ view }) => view) });
    },
  });

const onOne = { path: '/api/v1/texts/{order_status}/{language}', tag: 'Texts', params: TextParams };

const set = ({ pool, clock }: OperationDeps) =>
  operation({
    ...onOne,
    id: 'setText',
    method: 'PUT',
    summary: 'Set a text',
    description:
      'Liquid. An unknown variable, tag or filter, bad syntax, and a body too long with the longest values are refused; `msg` begins ' +
      'with the line.',
    body: TextBody,
    success: { status: 200, shape: TextView, description: 'The text.' },
    errors: ['text.not_found'],
    examples: { request: source, response: example },
    handle: async ({ caller: { businessId, keyId }, params, body }) => {
      const place = placeIn(params);
      const faults = checkTextSource(body).map(
        ({ field, line, message }): Fault => ({
          type: 'value_error',
          loc: ['body', field],
          msg: `line ${line}: ${message}`,
          input: body[field],
        }),
      );
      if (faults.length > 0) throw invalid(...faults);
      const change = { businessId, ...place, actor: actingKey(keyId) };
      await transaction(pool, (tx) => saveText(tx, clock.now(), change, body), ACTION_TRANSACTION);
      return json(200, textView(place, body));
    },
  });

const reset = ({ pool, clock }: OperationDeps) =>
  operation({
    ...onOne,
    id: 'resetText',
    method: 'DELETE',
    summary: 'Return to our text',
    description: 'Also where none was set.',
    success: { status: 200, shape: TextView, description: 'Our text.' },
    errors: ['text.not_found'],
    examples: { response: { ...example, is_default: true } },
    handle: async ({ caller: { businessId, keyId }, params }) => {
      const place = placeIn(params);
      const change = { businessId, ...place, actor: actingKey(keyId) };
      await transaction(pool, (tx) => resetText(tx, clock.now(), change), ACTION_TRANSACTION);
      return json(200, textView(place));
    },
  });

function placeIn(params: { order_status: string; language: string }): TextPlace {
  const status = knownStatus(params.order_status);
  if (status === null || !isLanguage(params.language)) throw new ApiError('text.not_found');
  return { status, language: params.language };
}
