import type { SenderDomain } from '../../../businesses/domains/sql.ts';
import { logoPath } from '../../../businesses/logo/logo.ts';
import { REPLY_FORWARDS, type Settings } from '../../../businesses/settings.ts';
import { NAME_LENGTH_MAX, WEB_ADDRESS_LENGTH_MAX } from '../../../kit/typedValues.ts';
import { LANGUAGES, languageFor, languageName } from '../../../language/languages.ts';
import { FactList, Panel } from '../../kit/components.tsx';
import {
  ActionForm,
  type FieldDef,
  FormField,
  FormFields,
  HiddenFields,
  PostForm,
  PreviewButtons,
} from '../../kit/forms.tsx';
import type { RefusedForm } from '../../kit/typedForm.ts';
import type { ShopVisit } from '../context.ts';
import { type Page, previewsItself } from '../layout.tsx';
import type { NudgePreview, ShopBrand } from './brandPreview.ts';
import { type SettingName, settingFields } from './fields.ts';
import { settingsHead } from './nav.tsx';
import { OperatorsSettings, type OperatorsSettingsProps } from './operatorsSettings.tsx';
import { SenderDomainState } from './senderDomain.tsx';

interface ShopSettingsProps extends OperatorsSettingsProps {
  /** What was typed and is not saved. */
  form: RefusedForm;
  /** Of the shop's own address; null: it has none that is checked. */
  domain: SenderDomain | null;
  mailServer: string | null;
  brand: ShopBrand;
  preview: NudgePreview;
}

/** Name, colour, language and logo, with a preview; the contact; and what the operator decides. */
export function shopSettingsPage(props: ShopSettingsProps): Page {
  const { visit, settings, brand, preview } = props;
  return {
    title: 'Settings',
    at: 'settings',
    heading: settingsHead(visit, 'shop'),
    children: (
      <div class="columns">
        <div class="column">
          {visit.may('settings.change') ? <ShopForm {...props} /> : shopFacts(settings)}
          <LogoPanel {...props} />
          <OperatorsSettings {...props} />
          <DomainPanel {...props} />
        </div>
        {brandPreview(visit, brand, preview)}
      </div>
    ),
  };
}

const DomainPanel = ({ visit, domain, mailServer }: ShopSettingsProps) =>
  domain && (
    <Panel id="domain" title="Domain of the shop’s emails">
      <SenderDomainState
        visit={visit}
        domain={domain}
        mailServer={mailServer}
        checkPath={visit.may('settings.change') ? visit.to('/settings/domain/check') : null}
      />
    </Panel>
  );

const FORWARDS: Readonly<Record<(typeof REPLY_FORWARDS)[number], string>> = {
  full: 'Yes, with what they wrote',
  link_only: 'Yes, with a link to the dashboard instead of it',
  off: 'No; they are in the dashboard alone',
};

export const SHOP_FIELDS = [
  'name',
  'colour',
  'language',
  'support_email',
  'shop_url',
  'contact_email',
  'reply_forward',
] as const;

const shopFields = (): (FieldDef & { id: SettingName })[] => [
  {
    id: 'name',
    label: 'Name',
    type: 'text',
    maxlength: NAME_LENGTH_MAX,
    autocomplete: 'organization',
    hint: 'Customers see it as the sender of every message.',
    required: true,
  },
  {
    id: 'colour',
    label: 'Colour',
    type: 'color',
    hint: 'Buttons have it as it is, with words in black or white. At first it is Waypost’s blue.',
  },
  {
    id: 'language',
    label: 'Language',
    options: LANGUAGES.map((one) => [one, languageName(one)] as const),
    hint: 'Of mails, SMS and the inbox, for customers whose own language you did not say. Your own words stay as you wrote them.',
  },
  {
    id: 'support_email',
    label: 'Email address for customers',
    type: 'email',
    autocomplete: 'email',
    hint: 'The inbox shows it, so that customers can write to the shop.',
  },
  {
    id: 'shop_url',
    label: 'Website',
    type: 'url',
    maxlength: WEB_ADDRESS_LENGTH_MAX,
    autocomplete: 'url',
    hint: 'The inbox leads to it, such as https://shop.example.',
  },
  {
    id: 'contact_email',
    label: 'Contact',
    type: 'email',
    autocomplete: 'email',
    hint: 'Where we write to the shop. Customers do not see it.',
  },
  {
    id: 'reply_forward',
    label: 'Mail WhatsApp replies to the contact',
    options: REPLY_FORWARDS.map((how) => [how, FORWARDS[how]] as const),
    hint: 'The link asks to sign in, so the contact must be a member.',
  },
];

function ShopForm({ visit, settings, form }: ShopSettingsProps) {
  const path = visit.to('/settings');
  const saved = Object.fromEntries(SHOP_FIELDS.map((name) => [name, settingFields[name].shown(settings)]));
  return (
    <ActionForm action={path} formToken={visit.session.formToken}>
      <section class="panel" aria-labelledby="shop" {...previewsItself(`${path}/preview`)}>
        <h2 id="shop">Shop</h2>
        {settingsBefore(settings, SHOP_FIELDS)}
        <FormFields fields={shopFields()} form={{ ...form, typed: { ...saved, ...form.typed } }} />
        <PreviewButtons path={path} label="Save" />
      </section>
    </ActionForm>
  );
}

/** What the fields showed when the form was made, so that saving it does not set back what another tab changed. */
export function settingsBefore(settings: Settings, names: readonly SettingName[]) {
  const before = names.map((name) => [`was_${name}`, settingFields[name].shown(settings)]);
  return <HiddenFields values={Object.fromEntries(before)} />;
}

function shopFacts(settings: Settings) {
  const { name, colour, language, supportEmail, shopUrl, contactEmail, replyForward } = settings;
  return (
    <Panel id="shop" title="Shop">
      <FactList
        facts={[
          ['Name', <bdi>{name}</bdi>],
          ['Colour', colour ?? 'Waypost’s blue'],
          ['Language', languageName(languageFor(null, language))],
          ['Email address for customers', supportEmail ?? 'None'],
          ['Website', shopUrl ?? 'None'],
          ['Contact', contactEmail ?? 'None'],
          ['Mail WhatsApp replies to the contact', FORWARDS[replyForward]],
        ]}
      />
      <p class="hint">An owner of the shop can change these.</p>
    </Panel>
  );
}

function LogoPanel({ visit, settings: { id, logo }, form }: ShopSettingsProps) {
  const path = visit.to('/settings/logo');
  return (
    <Panel id="logo-title" title="Logo">
      {logo === null ? (
        <p>None. The inbox shows the first letter of the name, and mails the name alone.</p>
      ) : (
        <p class="logo-shown">
          <img src={visit.site.to(logoPath(id, logo))} alt="The shop’s logo" />
        </p>
      )}
      {visit.may('settings.change') && (
        <>
          <PostForm visit={visit} action={path} enctype="multipart/form-data" label="Upload" look="quiet">
            <FormField
              id="logo"
              label={logo === null ? 'Upload a logo' : 'Upload another one'}
              type="file"
              accept="image/png,image/jpeg"
              fault={form.faults.logo}
              hint="PNG or JPEG, at most 256 KiB and 2048 pixels. It is saved without its hidden data. Mails that were sent before keep the logo of then."
              required
            />
          </PostForm>
          {logo !== null && (
            <PostForm visit={visit} action={`${path}/remove`} label="Remove the logo" look="quiet" />
          )}
        </>
      )}
    </Panel>
  );
}

/** What a customer would get about an example order, with the name, the colour and the language as they are typed. */
function brandPreview(visit: ShopVisit, { name, colour, language }: ShopBrand, preview: NudgePreview) {
  const query = new URLSearchParams({ name, colour: colour ?? '', language });
  const frame = (title: string, part: 'mail' | 'inbox', sandbox: string) => (
    <iframe
      class="preview-frame"
      title={title}
      src={`${visit.to('/settings/preview')}/${part}?${query}`}
      sandbox={sandbox}
      loading="lazy"
      tabindex="0"
    />
  );
  const message = (text: string) => (
    <p class="message-body preview-text" lang={language}>
      {text}
    </p>
  );
  return (
    <section class="panel" id="preview" aria-labelledby="preview-title">
      <h2 id="preview-title">What customers see</h2>
      <p class="hint">An example order. Nothing is sent.</p>
      <h3>Email</h3>
      <p class="preview-from">
        <strong dir="auto">{preview.mail.from}</strong> {preview.mail.subject}
      </p>
      {frame('The email', 'mail', '')}
      <h3>SMS</h3>
      {message(preview.text)}
      <h3>WhatsApp message</h3>
      {preview.whatsapp === null ? (
        <p>
          None can be sent: WhatsApp’s template cannot show this name. It takes up to 40 letters, digits and
          simple punctuation, and nothing that looks like a web address.
        </p>
      ) : (
        message(preview.whatsapp)
      )}
      <h3>Inbox</h3>
      {frame('The inbox', 'inbox', 'allow-same-origin')}
    </section>
  );
}
