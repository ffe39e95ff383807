import { OPERATOR } from '../businesses/audit.ts';
import { TEXT_BODY_MAX, TEXT_SUBJECT_MAX } from '../config/limits.ts';
import { ORDER_STATUSES } from '../contract/orderStatuses.ts';
import { OperatorError } from '../kit/errors.ts';
import { oneOf, type ParseValue, TypedMistake } from '../kit/typedValues.ts';
import { LANGUAGES } from '../language/languages.ts';
import { checkTextSource } from '../texts/render.ts';
import { readTexts, resetText, saveText, textView } from '../texts/texts.ts';
import { changeBusiness, requireBusiness } from './businessView.ts';
import { argument, BUSINESS_ID, databaseCommand, optional, type Report, requiredFlag } from './command.ts';
import { listReport } from './layout.ts';

const STATUS = argument(ORDER_STATUSES.join('|'), oneOf(ORDER_STATUSES));
const LANGUAGE = argument(LANGUAGES.join('|'), oneOf(LANGUAGES));
const PLACE = { ID: BUSINESS_ID, STATUS, LANGUAGE };

/** Of one or more lines. */
const liquidUpTo =
  (longest: number): ParseValue<string> =>
  (text, called) => {
    if (text.trim() === '' || [...text].length > longest || /\p{Cs}|\0/u.test(text))
      throw new TypedMistake(called, `Liquid of 1 to ${longest} characters`, text);
    return text;
  };

const textShow = databaseCommand({
  path: 'text show',
  about:
    'Shows the texts of a business for messages that Waypost writes itself: which are its own, or one of them',
  arguments: { ID: BUSINESS_ID, STATUS: optional(STATUS), LANGUAGE: optional(LANGUAGE) },
  async run({ ID: businessId, STATUS: status, LANGUAGE: language }, { pool }) {
    if (status !== undefined && language === undefined)
      throw new OperatorError(`text show needs LANGUAGE after STATUS: ${LANGUAGES.join('|')}.`);
    await requireBusiness(pool, businessId);
    const texts = (await readTexts(pool, businessId)).map(({ view }) => view);
    const one = texts.find((text) => text.order_status === status && text.language === language);
    if (one !== undefined) return textReport(one);
    const own = texts.filter(({ is_default }) => !is_default);
    const rows = own.map(({ order_status, language, subject }) => ({ order_status, language, subject }));
    const { text } = listReport(['order status', 'language', 'subject'], rows, 'Every text is Waypost’s.');
    return { json: { items: texts }, text };
  },
});

const textSet = databaseCommand({
  path: 'text set',
  about: 'Gives a business its own text for an order status in a language',
  arguments: PLACE,
  flags: {
    subject: requiredFlag('S', 'Liquid', liquidUpTo(TEXT_SUBJECT_MAX)),
    body: requiredFlag('B', 'Liquid; what it renders is plain text', liquidUpTo(TEXT_BODY_MAX)),
  },
  async run({ ID: businessId, STATUS: status, LANGUAGE: language, subject, body }, { pool, clock }) {
    const source = { subject, body };
    const [fault] = checkTextSource(source);
    if (fault)
      throw new OperatorError(`--${fault.field} cannot be used: line ${fault.line}: ${fault.message}.`);
    const change = { businessId, status, language, actor: OPERATOR };
    await changeBusiness(pool, businessId, (tx) => saveText(tx, clock.now(), change, source));
    return textReport(textView(change, source));
  },
});

const textReset = databaseCommand({
  path: 'text reset',
  about: 'Returns to Waypost’s own text',
  arguments: PLACE,
  async run({ ID: businessId, STATUS: status, LANGUAGE: language }, { pool, clock }) {
    const change = { businessId, status, language, actor: OPERATOR };
    await changeBusiness(pool, businessId, (tx) => resetText(tx, clock.now(), change));
    return textReport(textView(change));
  },
});

/** The text keeps its lines, and moves no cursor. */
const textReport = (view: ReturnType<typeof textView>): Report => ({
  json: view,
  text: [view.is_default ? 'Waypost’s text' : 'The business’s own text', view.subject, view.body]
    .map((text) => text.replace(/[^\P{Cc}\n]/gu, ' '))
    .join('\n\n'),
});

export const textCommands = [textShow, textSet, textReset];
