import { getCountries } from 'libphonenumber-js/max';
import { actingMember } from '../../businesses/audit.ts';
import { changePrice, MAX_CREDITS_PER_MESSAGE } from '../../businesses/prices.ts';
import { listPrices } from '../../businesses/sql.ts';
import { DEFAULT_PRICE } from '../../config/limits.ts';
import { transaction } from '../../db/transaction.ts';
import { countryName } from '../../kit/countryName.ts';
import { count, country } from '../../kit/typedValues.ts';
import type { DashboardContext, OperatorRoute, Visit } from '../dashboard/context.ts';
import type { Page } from '../dashboard/layout.tsx';
import { get, post } from '../dashboard/route.ts';
import { Panel } from '../kit/components.tsx';
import { DataTable } from '../kit/dataTable.tsx';
import type { Flashes } from '../kit/flash.ts';
import { type FieldDef, FormFields, PostForm } from '../kit/forms.tsx';
import { formOf } from '../kit/request.ts';
import { EMPTY_FORM, type RefusedForm, readForm, typedField } from '../kit/typedForm.ts';
import { inputField } from './fields.ts';

const PATH = '/dashboard/operator/prices';

const FLASHES = {
  price_set: ['good', 'The price was set. It holds from the next push on.'],
  price_same: ['waiting', 'Nothing was changed: this was the price already.'],
} satisfies Flashes;

const PRICE_FORM = {
  country: typedField('The country', country),
  credits: typedField('The price', count(1, MAX_CREDITS_PER_MESSAGE)),
};

/** What a text or WhatsApp message costs, by country. */
export function priceRoutes({ pool, clock }: DashboardContext): OperatorRoute[] {
  return [
    get(PATH, { action: 'operator.pages', flashes: FLASHES }, async (visit) =>
      pricesPage(visit, await listPrices(pool), EMPTY_FORM),
    ),
    post(PATH, 'operator.pages', async (visit, request) => {
      const { values, ...form } = readForm(formOf(request), PRICE_FORM);
      if (values === null) return { ...pricesPage(visit, await listPrices(pool), form), status: 422 };
      const price = { ...values, actor: actingMember(visit.session.memberId) };
      const changed = await transaction(pool, (tx) => changePrice(tx, clock.now(), price));
      const flash: keyof typeof FLASHES = changed ? 'price_set' : 'price_same';
      return { goTo: `${PATH}?flash=${flash}` };
    }),
  ];
}

const nameOf = (code: string): string => `${countryName(code)} (${code})`;

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

const pricesPage = (
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
          Credits for an SMS or a WhatsApp message. Every other country costs {DEFAULT_PRICE} credit.
        </p>
        {prices.length > 0 && (
          <DataTable
            caption="Countries with a price of their own"
            columns={[
              { title: 'Country', cell: (price) => nameOf(price.country) },
              { title: 'Credits', numeric: true, cell: ({ credits }) => credits },
            ]}
            rows={prices}
          />
        )}
      </Panel>
      <Panel id="set-price" title="Set a price">
        <PostForm action={visit.site.to(PATH)} visit={visit} label="Set the price">
          <FormFields fields={fields()} form={form} values={{ country: 'EE' }} />
        </PostForm>
      </Panel>
    </div>
  ),
});
