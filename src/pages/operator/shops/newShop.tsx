import { MODES } from '../../../contract/channels.ts';
import { DEFAULT_LANGUAGE, LANGUAGES, languageName } from '../../../language/languages.ts';
import { MODE_WORDS } from '../../dashboard/channels/words.ts';
import type { Visit } from '../../dashboard/context.ts';
import { dashboardPage } from '../../dashboard/layout.tsx';
import { FlashNote } from '../../kit/components.tsx';
import { ActionForm, FormField, SelectField } from '../../kit/forms.tsx';
import type { Site } from '../../kit/page.tsx';
import { fieldState, type RefusedForm } from '../../kit/typedForm.ts';

const MODE_OPTIONS = MODES.map((mode) => [mode, MODE_WORDS[mode]] as const);

/** Creating a shop, with its owner. */
export function newShopPage({ site, visit, form }: { site: Site; visit: Visit; form: RefusedForm }): string {
  const path = site.to('/dashboard/operator/shops/new');
  return dashboardPage({
    site,
    title: 'Create a shop',
    visit,
    operatorAt: 'shops',
    children: (
      <div class="sheet">
        <h1>Create a shop</h1>
        {form.faults.form !== undefined && <FlashNote tone="bad" text={form.faults.form} />}
        <ActionForm action={path} formToken={visit.session.formToken}>
          <div class="stack">
            <FormField
              {...fieldState(form, 'name')}
              label="Name"
              type="text"
              hint="What customers see as the sender."
              autocomplete="off"
              required
            />
            <FormField
              {...fieldState(form, 'owner')}
              label="Address of the owner"
              type="email"
              hint="They sign in with it, by a link that is mailed to them."
              autocomplete="off"
              required
            />
            <FormField
              {...fieldState(form, 'credits', '0')}
              label="Credits to begin with"
              type="number"
              hint="For texts and WhatsApp messages. Email needs none."
            />
            <SelectField
              {...fieldState(form, 'language', DEFAULT_LANGUAGE)}
              label="Language"
              options={LANGUAGES.map((one) => [one, languageName(one)] as const)}
              hint="Of mails, texts and the inbox, for customers whose own is not known."
            />
            <SelectField {...fieldState(form, 'sms', 'on_request')} label="Texts" options={MODE_OPTIONS} />
            <SelectField
              {...fieldState(form, 'whatsapp', 'on_request')}
              label="WhatsApp"
              options={MODE_OPTIONS}
            />
            <FormField
              {...fieldState(form, 'countries')}
              label="Countries"
              type="text"
              hint="That its paid messages may go to, such as EE,FI,GB. Empty: every country but the US and Canada."
              autocomplete="off"
            />
            <FormField
              {...fieldState(form, 'contact')}
              label="Contact address"
              type="email"
              hint="Where WhatsApp replies are forwarded to, if the shop wants that."
              autocomplete="off"
            />
            <button class="button" type="submit">
              Create the shop
            </button>
          </div>
        </ActionForm>
        <p>
          <a href={site.to('/dashboard/operator')}>Back to the shops</a>
        </p>
      </div>
    ),
  });
}
