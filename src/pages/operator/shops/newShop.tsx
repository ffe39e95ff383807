import { actingMember } from '../../../businesses/audit.ts';
import { MODES } from '../../../contract/channels.ts';
import { businessName, count, countries, email, oneOf } from '../../../kit/typedValues.ts';
import { DEFAULT_LANGUAGE, LANGUAGES, languageName } from '../../../language/languages.ts';
import { MODE_WORDS } from '../../dashboard/channels/words.ts';
import { confirmPage } from '../../dashboard/confirm.tsx';
import type { DashboardContext, OperatorRoute, Visit } from '../../dashboard/context.ts';
import type { Page } from '../../dashboard/layout.tsx';
import { get, post } from '../../dashboard/route.ts';
import { type FieldDef, FormFields } from '../../kit/forms.tsx';
import { formOf } from '../../kit/request.ts';
import { EMPTY_FORM, optionalField, type RefusedForm, readForm, typedField } from '../../kit/typedForm.ts';
import { inputField } from '../fields.ts';
import { openShop } from './actions.ts';

const PATH = '/dashboard/operator/shops/new';

const NEW_SHOP_FORM = {
  name: typedField('The name', businessName),
  owner: typedField('The address of the owner', email),
  credits: optionalField('The number of credits', count(0)),
  sms: typedField('Texts', oneOf(MODES)),
  whatsapp: typedField('WhatsApp', oneOf(MODES)),
  countries: optionalField('Countries', countries),
  contact: optionalField('The contact address', email),
  language: optionalField('The language', oneOf(LANGUAGES)),
};

/** Creating a shop, with its owner. */
export const newShopRoutes = ({ pool, clock }: DashboardContext): OperatorRoute[] => [
  get(PATH, 'operator.grant', async (visit) => newShopPage(visit, EMPTY_FORM)),
  post(PATH, 'operator.grant', async (visit, request) => {
    const { values, ...form } = readForm(formOf(request), NEW_SHOP_FORM);
    if (values === null) return { ...newShopPage(visit, form), status: 422 };
    const { owner, sms, whatsapp, contact, credits, language, ...shop } = values;
    const wanted = {
      ...shop,
      ownerEmail: owner,
      credits: credits ?? 0,
      smsMode: sms,
      whatsappMode: whatsapp,
      contactEmail: contact,
      language: language ?? DEFAULT_LANGUAGE,
    };
    const { businessId } = await openShop({ pool, clock }, wanted, actingMember(visit.session.memberId));
    return { goTo: `/dashboard/operator/shops/${businessId}?flash=created` };
  }),
];

const MODE_OPTIONS = MODES.map((mode) => [mode, MODE_WORDS[mode]] as const);

const NEW_SHOP: readonly FieldDef[] = [
  inputField('name', 'Name', 'text', { hint: 'What customers see as the sender.', required: true }),
  inputField('owner', 'Address of the owner', 'email', {
    hint: 'They sign in with it, by a link that is mailed to them.',
    required: true,
  }),
  inputField('credits', 'Credits to begin with', 'number', {
    hint: 'For texts and WhatsApp messages. Email needs none.',
  }),
  {
    id: 'language',
    label: 'Language',
    options: LANGUAGES.map((one) => [one, languageName(one)] as const),
    hint: 'Of mails, texts and the inbox, for customers whose own is not known.',
  },
  { id: 'sms', label: 'Texts', options: MODE_OPTIONS },
  { id: 'whatsapp', label: 'WhatsApp', options: MODE_OPTIONS },
  inputField('countries', 'Countries', 'text', {
    hint: 'That its paid messages may go to, such as EE,FI,GB. Empty: every country but the US and Canada.',
  }),
  inputField('contact', 'Contact address', 'email', {
    hint: 'Where WhatsApp replies are forwarded to, if the shop wants that.',
  }),
];
const NEW_SHOP_VALUES = {
  credits: '0',
  language: DEFAULT_LANGUAGE,
  sms: 'on_request',
  whatsapp: 'on_request',
};

const newShopPage = (visit: Visit, form: RefusedForm): Page =>
  confirmPage(visit, {
    operatorAt: 'shops',
    title: 'Create a shop',
    action: visit.site.to(PATH),
    label: 'Create the shop',
    back: { href: visit.site.to('/dashboard/operator'), label: 'Back to the shops' },
    children: <FormFields fields={NEW_SHOP} form={form} values={NEW_SHOP_VALUES} />,
  });
