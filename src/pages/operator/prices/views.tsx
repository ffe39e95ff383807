import { getCountries } from 'libphonenumber-js/max';
import { MAX_CREDITS_PER_MESSAGE } from '../../../businesses/prices.ts';
import { DEFAULT_PRICE } from '../../../config/limits.ts';
import type { Visit } from '../../dashboard/context.ts';
import { countryName } from '../../dashboard/credits/words.ts';
import { dashboardPage } from '../../dashboard/layout.tsx';
import { FlashNote } from '../../kit/components.tsx';
import { DataTable } from '../../kit/dataTable.tsx';
import type { Flash } from '../../kit/flash.ts';
import { ActionForm, FormField, SelectField } from '../../kit/forms.tsx';
import type { Site } from '../../kit/page.tsx';
import { fieldState, type RefusedForm } from '../../kit/typedForm.ts';

interface PricesProps {
  site: Site;
  visit: Visit;
  prices: readonly { country: string; credits: number }[];
  flash: Flash | null;
  form: RefusedForm;
}

const nameOf = (country: string): string => `${countryName(country)} (${country})`;

const countriesByName = (): readonly (readonly [code: string, name: string])[] =>
  getCountries()
    .map((code) => [code, nameOf(code)] as const)
    .sort(([, one], [, other]) => one.localeCompare(other, 'en'));

export function pricesPage({ site, visit, prices, flash, form }: PricesProps): string {
  return dashboardPage({
    site,
    title: 'Prices',
    visit,
    operatorAt: 'prices',
    children: (
      <>
        <h1>Prices</h1>
        {flash && <FlashNote {...flash} />}
        <div class="columns">
          <section class="panel" aria-labelledby="countries">
            <h2 id="countries">By country</h2>
            <p class="hint">
              Credits for a text or a WhatsApp message. Every other country costs {DEFAULT_PRICE} credit.
            </p>
            {prices.length > 0 && (
              <DataTable
                caption="Countries with a price of their own"
                columns={[
                  { title: 'Country', cell: ({ country }) => <span>{nameOf(country)}</span> },
                  { title: 'Credits', numeric: true, cell: ({ credits }) => credits },
                ]}
                rows={prices}
              />
            )}
          </section>
          <section class="panel" aria-labelledby="set-price">
            <h2 id="set-price">Set a price</h2>
            <ActionForm action={site.to('/dashboard/operator/prices')} formToken={visit.session.formToken}>
              <div class="stack">
                <SelectField
                  {...fieldState(form, 'country', 'EE')}
                  label="Country"
                  options={countriesByName()}
                />
                <FormField
                  {...fieldState(form, 'credits')}
                  label="Credits for a message"
                  type="number"
                  hint={`From 1 to ${MAX_CREDITS_PER_MESSAGE.toLocaleString('en-GB')}. Messages that are queued keep what was set aside for them.`}
                  required
                />
                <div>
                  <button class="button" type="submit">
                    Set the price
                  </button>
                </div>
              </div>
            </ActionForm>
          </section>
        </div>
      </>
    ),
  });
}
