import { getCountries } from 'libphonenumber-js/max';
import { MAX_CREDITS_PER_MESSAGE } from '../../../businesses/prices.ts';
import { DEFAULT_PRICE } from '../../../config/limits.ts';
import type { Visit } from '../../dashboard/context.ts';
import { countryName } from '../../dashboard/credits/words.ts';
import type { Page } from '../../dashboard/layout.tsx';
import { Panel } from '../../kit/components.tsx';
import { DataTable } from '../../kit/dataTable.tsx';
import { type FieldDef, FormFields, PostForm } from '../../kit/forms.tsx';
import type { RefusedForm } from '../../kit/typedForm.ts';
import { filledForm, inputField } from '../fields.ts';

const nameOf = (country: string): string => `${countryName(country)} (${country})`;

const fields = (): FieldDef[] => [
  {
    id: 'country',
    label: 'Country',
    options: getCountries()
      .map((code) => [code, nameOf(code)] as const)
      .sort(([, one], [, other]) => one.localeCompare(other, 'en')),
  },
  inputField('credits', 'Credits for a message', 'number', {
    hint: `From 1 to ${MAX_CREDITS_PER_MESSAGE.toLocaleString('en-GB')}. Messages that are queued keep what was set aside for them.`,
    required: true,
  }),
];

export const pricesPage = (
  visit: Visit,
  prices: readonly { country: string; credits: number }[],
  form: RefusedForm,
): Page => ({
  operatorAt: 'prices',
  title: 'Prices',
  children: (
    <div class="columns">
      <Panel id="countries" title="By country">
        <p class="hint">
          Credits for a text or a WhatsApp message. Every other country costs {DEFAULT_PRICE} credit.
        </p>
        {prices.length > 0 && (
          <DataTable
            caption="Countries with a price of their own"
            columns={[
              { title: 'Country', cell: ({ country }) => nameOf(country) },
              { title: 'Credits', numeric: true, cell: ({ credits }) => credits },
            ]}
            rows={prices}
          />
        )}
      </Panel>
      <Panel id="set-price" title="Set a price">
        <PostForm action={visit.site.to('/dashboard/operator/prices')} visit={visit} label="Set the price">
          <FormFields fields={fields()} form={filledForm({ country: 'EE' }, form)} />
        </PostForm>
      </Panel>
    </div>
  ),
});
