import { checkDomain } from '../../../businesses/domains/check.ts';
import { readDomain } from '../../../businesses/domains/sql.ts';
import { removeLogo, setLogo } from '../../../businesses/logo/logo.ts';
import { createLogoReader } from '../../../businesses/logo/reader.ts';
import { LogoRefused } from '../../../businesses/logo/refusal.ts';
import { listSenders, readAccount } from '../../../businesses/sql.ts';
import type { Flashes } from '../../kit/flash.ts';
import { formOf } from '../../kit/request.ts';
import {
  actionContext,
  type DashboardContext,
  memberTransaction,
  type ShopRoute,
  type ShopVisit,
} from '../context.ts';
import type { Page } from '../layout.tsx';
import { get, goTo, post } from '../route.ts';
import { changeSettingsAsMember, readShopSettings } from './actions.ts';
import { previewNudges } from './brandPreview.ts';
import { brandIn, changesIn, editsOf, type SettingEdits, type SettingTexts, typedIn } from './fields.ts';
import { uploadedFile } from './upload.ts';
import { SHOP_FIELDS, shopSettingsPage } from './views.tsx';

const FLASHES = {
  saved: ['good', 'Saved. It holds from now on.'],
  same: ['waiting', 'Nothing was changed: it was like this already.'],
  logo_set: ['good', 'The logo was changed.'],
  logo_same: ['waiting', 'Nothing was changed: this is the logo already.'],
  logo_removed: ['good', 'The logo was removed, from mails that were sent before, too.'],
  domain_checked: ['good', 'The domain was checked. What was found stands beside it.'],
  domain_not_checked: ['waiting', 'Nothing was checked: the last check is less than half a minute ago.'],
  logo_none: ['waiting', 'Nothing was changed: there was no logo.'],
} satisfies Flashes;

/** What customers know the shop by, and where their replies go. */
export function settingsRoutes(context: DashboardContext): ShopRoute[] {
  const { pool, clock } = context;
  const readUploaded = createLogoReader();
  const leadTo = (visit: ShopVisit, flash: keyof typeof FLASHES) => goTo(visit, '/settings', flash);

  const show = (visit: ShopVisit, edits?: SettingEdits, faults?: SettingTexts) =>
    showSettings(context, visit, edits, faults);

  return [
    get('/settings', { action: 'shop.view', flashes: FLASHES }, (visit) => show(visit)),
    post('/settings', 'settings.change', async (visit, request) => {
      const edits = editsOf(formOf(request), SHOP_FIELDS);
      const outcome = await changeSettingsAsMember(pool, actionContext(context, visit), edits);
      if (outcome.faults) return { ...(await show(visit, edits, outcome.faults)), status: 422 };
      return leadTo(visit, outcome.changed ? 'saved' : 'same');
    }),
    // Writes nothing. What is wrong is said beside its field, and the preview shows the rest.
    post('/settings/preview', 'settings.change', (visit, request) => {
      const edits = editsOf(formOf(request), SHOP_FIELDS);
      return show(visit, edits, changesIn(edits).faults);
    }),
    post('/settings/logo', { action: 'settings.change', takesFile: true }, async (visit, request) => {
      try {
        const logo = await readUploaded(visit.shop.id, uploadedFile(request, 'logo'));
        const changed = await memberTransaction(pool, (tx) =>
          setLogo(tx, clock.now(), visit.shop.id, logo, visit.actor),
        );
        return leadTo(visit, changed ? 'logo_set' : 'logo_same');
      } catch (error) {
        if (!(error instanceof LogoRefused)) throw error;
        return { ...(await show(visit, undefined, { logo: error.message })), status: 422 };
      }
    }),
    post('/settings/domain/check', 'settings.change', async (visit) => {
      const state = await checkDomain(context, visit.shop.id, visit.actor);
      return leadTo(visit, state === null ? 'domain_not_checked' : 'domain_checked');
    }),
    post('/settings/logo/remove', 'settings.change', async (visit) => {
      const removed = await memberTransaction(pool, (tx) =>
        removeLogo(tx, clock.now(), visit.shop.id, visit.actor),
      );
      return leadTo(visit, removed ? 'logo_removed' : 'logo_none');
    }),
  ];
}

async function showSettings(
  { pool, clock, site, mailServer }: DashboardContext,
  visit: ShopVisit,
  edits: SettingEdits = new Map(),
  faults: SettingTexts = {},
): Promise<Page> {
  const [settings, senders, [account], [domain]] = await Promise.all([
    readShopSettings(pool, visit.shop.id),
    listSenders(pool, visit.shop.id),
    readAccount(pool, visit.shop.id),
    readDomain(pool, visit.shop.id),
  ]);
  const brand = { ...settings, ...brandIn(edits) };
  const preview = previewNudges(brand, site.publicUrl);
  const credits = account?.balance ?? 0;
  const form = { typed: typedIn(edits), faults };
  const shown = { visit, settings, senders, credits, now: clock.now(), domain: domain ?? null, mailServer };
  return shopSettingsPage({ ...shown, form, brand, preview });
}
