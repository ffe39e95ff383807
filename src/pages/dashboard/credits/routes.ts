import { changeSettings } from '../../../businesses/settingsChange.ts';
import { LARGEST_COUNT, parseCount } from '../../../kit/wholeNumber.ts';
import { type CsvColumn, sendCsv } from '../../kit/csv.ts';
import type { Flashes } from '../../kit/flash.ts';
import { formOf, queryOf } from '../../kit/request.ts';
import { EMPTY_FORM, type RefusedForm, readForm } from '../../kit/typedForm.ts';
import { type DashboardContext, memberTransaction, type ShopRoute, type ShopVisit } from '../context.ts';
import type { Page } from '../layout.tsx';
import { asDownload, get, goTo, post } from '../route.ts';
import { type BalancedEntry, readCreditsPage, readLedger, wholeLedger } from './reads.ts';
import { creditsPage } from './views.tsx';
import { shownNumber } from './words.ts';

const FLASHES = {
  threshold_set: ['good', 'The threshold was changed.'],
  threshold_same: ['waiting', 'Nothing was changed: this was the threshold already.'],
} satisfies Flashes;

const THRESHOLD_FORM = {
  threshold: {
    max: 40,
    wrong: `The low-balance threshold must be a whole number from 0 to ${shownNumber(LARGEST_COUNT)}.`,
    parse: (text: string) => parseCount(text, 0) ?? undefined,
  },
};

/** What the shop's credits are, were and paid for. */
export function creditsRoutes(context: DashboardContext): ShopRoute[] {
  const { pool, clock, downloads } = context;
  const show = async (visit: ShopVisit, cursor: string | null, form: RefusedForm): Promise<Page> => {
    const [credits, ledger] = await Promise.all([
      readCreditsPage(pool, visit.shop.id, clock.now()),
      readLedger(pool, visit.shop.id, cursor),
    ]);
    return creditsPage({ visit, credits, ledger, cursor, form });
  };
  return [
    get('/credits', { action: 'shop.view', flashes: FLASHES }, (visit, request) =>
      show(visit, queryOf(request).cursor ?? null, EMPTY_FORM),
    ),
    get(
      '/credits/ledger.csv',
      'shop.view',
      asDownload(context, async ({ shop }, request, reply, isStillAllowed) => {
        const table = { fileName: `credits-${shop.id}.csv`, columns: LEDGER_COLUMNS };
        const pages = wholeLedger(pool, shop.id);
        return { sent: sendCsv(request, reply, table, downloads.read(request, pages, isStillAllowed)) };
      }),
    ),
    post('/credits/threshold', 'settings.change', async (visit, request) => {
      const { values, ...form } = readForm(formOf(request), THRESHOLD_FORM);
      if (values === null) return { ...(await show(visit, null, form)), status: 422 };
      const change = { lowBalanceThreshold: values.threshold };
      const { changed } = await memberTransaction(pool, (tx) =>
        changeSettings(tx, clock.now(), visit.shop.id, change, visit.actor),
      );
      const flash: keyof typeof FLASHES = changed ? 'threshold_set' : 'threshold_same';
      return goTo(visit, '/credits', flash);
    }),
  ];
}

const LEDGER_COLUMNS: readonly CsvColumn<BalancedEntry>[] = [
  ['time', ({ at }) => at],
  ['kind', ({ kind }) => kind],
  ['credits', ({ amount }) => amount],
  ['balance', ({ balance }) => balance],
  ['channel', ({ channel }) => channel],
  ['country', ({ country }) => country],
  ['message', ({ message_id }) => message_id],
  ['note', ({ note }) => note],
];
