import { actingMember } from '../../../businesses/audit.ts';
import { MODES } from '../../../contract/channels.ts';
import { businessName, count, countries, email, oneOf } from '../../../kit/typedValues.ts';
import { DEFAULT_LANGUAGE, LANGUAGES, languageName } from '../../../language/languages.ts';
import { MODE_WORDS } from '../../dashboard/channels/words.ts';
import { confirmPage } from '../../dashboard/confirm.tsx';
import type { DashboardContext, OperatorRoute, Visit } from '../../dashboard/context.ts';
import type { Page } from '../../dashboard/layout.tsx';
import { inviteMember } from '../../dashboard/members/routes.ts';
import { InviteCheckbox } from '../../dashboard/members/views.tsx';
import { get, post } from '../../dashboard/route.ts';
import { type FieldDef, FormFields } from '../../kit/forms.tsx';
import { formOf } from '../../kit/request.ts';
import {
  EMPTY_FORM,
  optionalField,
  type RefusedForm,
  readForm,
  textField,
  typedField,
} from '../../kit/typedForm.ts';
import { inputField } from '../fields.ts';
import { openShop } from './actions.ts';

const PATH = '/dashboard/operator/shops/new';

/** Longer than the one value that the box has. */
const INVITE_MAX = 16;

const NEW_SHOP_FORM = {
  name: typedField('The name', businessName),
  owner: typedField('The address of the owner', email),
  credits: optionalField('The number of credits', count(0)),
  sms: typedField('SMS', oneOf(MODES)),
  whatsapp: typedField('WhatsApp', oneOf(MODES)),
  countries: optionalField('Countries', countries),
  contact: optionalField('The contact address', email),
  language: optionalField('The language', oneOf(LANGUAGES)),
  invite: textField(INVITE_MAX),
};

/** Creating a shop, with its owner. */
export const newShopRoutes = (context: DashboardContext): OperatorRoute[] => [
  get(PATH, 'operator.grant', async (visit) => newShopPage(visit, EMPTY_FORM)),
  post(PATH, 'operator.grant', async (visit, request) => {
    const { values, ...form } = readForm(formOf(request), NEW_SHOP_FORM);
    if (values === null) return { ...newShopPage(visit, form), status: 422 };
    const { owner, sms, whatsapp, contact, credits, language, invite, ...shop } = values;
    const wanted = {
      ...shop,
      ownerEmail: owner,
      credits: credits ?? 0,
      smsMode: sms,
      whatsappMode: whatsapp,
      contactEmail: contact,
      language: language ?? DEFAULT_LANGUAGE,
    };
    const actor = actingMember(visit.session.memberId);
    const { businessId, owner: member } = await openShop(context, wanted, actor);
    const created = { id: businessId, name: shop.name };
    const isInvited = invite !== '' && (await inviteMember(context, created, member)) === 'invited';
    return {
      goTo: `/dashboard/operator/shops/${businessId}?flash=${isInvited ? 'created_invited' : 'created'}`,
    };
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
    hint: 'For SMS and WhatsApp messages. Email needs none.',
  }),
  {
    id: 'language',
    label: 'Language',
    options: LANGUAGES.map((one) => [one, languageName(one)] as const),
    hint: 'Of mails, SMS and the inbox, for customers whose own is not known.',
  },
  { id: 'sms', label: 'SMS', options: MODE_OPTIONS },
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
    children: (
      <>
        <FormFields fields={NEW_SHOP} form={form} values={NEW_SHOP_VALUES} />
        <InviteCheckbox form={form} />
      </>
    ),
  });
