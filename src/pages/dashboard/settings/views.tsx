import { logoPath } from '../../../businesses/logo/logo.ts';
import { REPLY_FORWARDS, type Settings } from '../../../businesses/settings.ts';
import { LANGUAGES, languageFor, languageName } from '../../../language/languages.ts';
import { isAllowed } from '../../../members/permissions.ts';
import { FlashNote } from '../../kit/components.tsx';
import type { Flash } from '../../kit/flash.ts';
import { ActionForm, FormField, SelectField } from '../../kit/forms.tsx';
import type { Site } from '../../kit/page.tsx';
import type { ShopVisit } from '../context.ts';
import { dashboardPage } from '../layout.tsx';
import type { NudgePreview, ShopBrand } from './brandPreview.ts';
import { BrandPreview } from './brandView.tsx';
import { type SettingName, type SettingTexts, settingFields } from './fields.ts';
import { SettingsHead } from './nav.tsx';
import { OperatorsSettings } from './operatorsSettings.tsx';

export interface ShopSettingsProps {
  site: Site;
  visit: ShopVisit;
  settings: Settings;
  senders: readonly { channel: string; address: string }[];
  credits: number;
  now: Date;
  /** What was typed and is not saved. */
  typed: SettingTexts;
  faults?: SettingTexts;
  logoFault?: string;
  brand: ShopBrand;
  preview: NudgePreview;
  flash?: Flash | null;
}

/** Name, colour, language and logo, with a preview; the contact; and what the operator decides. */
export function shopSettingsPage(props: ShopSettingsProps): string {
  const { site, visit, settings, brand, preview, flash = null } = props;
  const mayChange = isAllowed(visit.role, 'settings.change');
  return dashboardPage({
    site,
    title: 'Settings',
    visit,
    at: 'settings',
    children: (
      <>
        <SettingsHead site={site} visit={visit} at="shop" />
        {flash && <FlashNote {...flash} />}
        <div class="columns">
          <div class="column">
            {mayChange ? <ShopForm {...props} /> : <ShopFacts settings={settings} />}
            <LogoPanel {...props} mayChange={mayChange} />
            <OperatorsSettings {...props} />
          </div>
          <BrandPreview site={site} brand={brand} preview={preview} />
        </div>
      </>
    ),
  });
}

const FORWARDS: Readonly<Record<(typeof REPLY_FORWARDS)[number], string>> = {
  full: 'Yes, with their text',
  link_only: 'Yes, with a link to the dashboard instead of the text',
  off: 'No; they are in the dashboard alone',
};

const SHOP_FIELDS = ['name', 'colour', 'language', 'contact_email', 'reply_forward'] as const;

function ShopForm({ site, visit, settings, typed, faults = {} }: ShopSettingsProps): JSX.Element {
  const path = site.to(`/dashboard/${visit.shop.id}/settings`);
  const field = (name: SettingName) => ({
    id: name,
    value: typed[name] ?? settingFields[name].shown(settings),
    fault: faults[name],
  });
  return (
    <ActionForm action={path} formToken={visit.session.formToken}>
      <section
        class="panel"
        aria-labelledby="shop"
        hx-post={`${path}/preview`}
        hx-trigger="input delay:500ms, change"
        hx-target="#preview"
        hx-select="#preview"
        hx-swap="outerHTML"
        hx-sync="this:replace"
      >
        <h2 id="shop">Shop</h2>
        <SettingsBefore settings={settings} names={SHOP_FIELDS} />
        <FormField
          {...field('name')}
          label="Name"
          type="text"
          maxlength={100}
          autocomplete="organization"
          hint="Customers see it as the sender of every message."
          required
        />
        <FormField
          {...field('colour')}
          label="Colour"
          type="text"
          maxlength={7}
          autocomplete="off"
          hint="Like #1f6feb. Buttons have it, as light or dark as is legible. Blank: Waypost’s blue."
        />
        <SelectField
          {...field('language')}
          label="Language"
          options={LANGUAGES.map((one) => [one, languageName(one)] as const)}
          hint="Of mails, texts and the inbox, for customers whose own language you did not say. Your own words stay as you wrote them."
        />
        <FormField
          {...field('contact_email')}
          label="Contact"
          type="email"
          autocomplete="email"
          hint="Where we write to the shop. Customers do not see it."
        />
        <SelectField
          {...field('reply_forward')}
          label="Mail WhatsApp replies to the contact"
          options={REPLY_FORWARDS.map((how) => [how, FORWARDS[how]] as const)}
          hint="Whoever follows the link signs in, so the contact must be a member."
        />
        <div class="acts">
          <button class="button" type="submit">
            Save
          </button>
          <button class="button quiet" type="submit" formaction={`${path}/preview`} formnovalidate>
            Preview
          </button>
        </div>
      </section>
    </ActionForm>
  );
}

/** What the fields showed when the form was made, so that saving it does not set back what another tab changed. */
export function SettingsBefore({
  settings,
  names,
}: {
  settings: Settings;
  names: readonly SettingName[];
}): JSX.Element {
  return (
    <>
      {names.map((name) => (
        <input type="hidden" name={`was_${name}`} value={settingFields[name].shown(settings)} />
      ))}
    </>
  );
}

function ShopFacts({ settings }: { settings: Settings }): JSX.Element {
  const { name, colour, language, contactEmail, replyForward } = settings;
  return (
    <section class="panel" aria-labelledby="shop">
      <h2 id="shop">Shop</h2>
      <dl class="answers">
        <dt>Name</dt>
        <dd dir="auto">{name}</dd>
        <dt>Colour</dt>
        <dd>{colour ?? 'Waypost’s blue'}</dd>
        <dt>Language</dt>
        <dd>{languageName(languageFor(null, language))}</dd>
        <dt>Contact</dt>
        <dd>{contactEmail ?? 'None'}</dd>
        <dt>Mail WhatsApp replies to the contact</dt>
        <dd>{FORWARDS[replyForward]}</dd>
      </dl>
      <p class="hint">An owner of the shop can change these.</p>
    </section>
  );
}

function LogoPanel({
  site,
  visit,
  settings,
  logoFault,
  mayChange,
}: ShopSettingsProps & { mayChange: boolean }): JSX.Element {
  const path = site.to(`/dashboard/${visit.shop.id}/settings/logo`);
  const { logo } = settings;
  const token = visit.session.formToken;
  return (
    <section class="panel" aria-labelledby="logo-title">
      <h2 id="logo-title">Logo</h2>
      {logo === null ? (
        <p>None. The inbox shows the first letter of the name, and mails the name alone.</p>
      ) : (
        <p class="logo-shown">
          <img src={site.to(logoPath(settings.id, logo))} alt="The shop’s logo" />
        </p>
      )}
      {mayChange && (
        <>
          <ActionForm action={path} formToken={token} enctype="multipart/form-data">
            <div class="stack">
              <FormField
                id="logo"
                label={logo === null ? 'Upload a logo' : 'Upload another one'}
                type="file"
                accept="image/png,image/jpeg"
                fault={logoFault}
                hint="PNG or JPEG, at most 256 KiB and 2048 pixels. It is saved without its hidden data. Mails that were sent before keep the logo of then."
                required
              />
              <div>
                <button class="button quiet" type="submit">
                  Upload
                </button>
              </div>
            </div>
          </ActionForm>
          {logo !== null && (
            <ActionForm action={`${path}/remove`} formToken={token}>
              <button class="button quiet" type="submit">
                Remove the logo
              </button>
            </ActionForm>
          )}
        </>
      )}
    </section>
  );
}
