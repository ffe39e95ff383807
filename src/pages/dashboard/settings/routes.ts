import type { FastifyReply, FastifyRequest } from 'fastify';
import { createLogoReader } from '../../../businesses/logo/reader.ts';
import { LogoRefused } from '../../../businesses/logo/refusal.ts';
import type { Settings } from '../../../businesses/settings.ts';
import { listSenders, readAccount, readSettings } from '../../../businesses/sql.ts';
import { type Flashes, flashIn } from '../../kit/flash.ts';
import { formOf } from '../../kit/request.ts';
import {
  actionContext,
  type DashboardContext,
  type ShopRoute,
  type ShopVisit,
  sendDashboardPage,
} from '../context.ts';
import { get, post } from '../route.ts';
import { changeSettingsAsMember, removeLogoAsMember, setLogoAsMember } from './actions.ts';
import { previewNudges } from './brandPreview.ts';
import { editsOf } from './edits.ts';
import { changesIn, type SettingEdits, type SettingTexts } from './fields.ts';
import { uploadedFile } from './upload.ts';
import { type ShopSettingsProps, shopSettingsPage } from './views.tsx';

const FLASHES = {
  saved: ['good', 'Saved. It holds from now on.'],
  same: ['waiting', 'Nothing was changed: it was like this already.'],
  logo_set: ['good', 'The logo was changed.'],
  logo_same: ['waiting', 'Nothing was changed: this is the logo already.'],
  logo_removed: ['good', 'The logo was removed, from mails that were sent before, too.'],
  logo_none: ['waiting', 'Nothing was changed: there was no logo.'],
} satisfies Flashes;

const FIELDS = ['name', 'colour', 'language', 'contact_email', 'reply_forward'] as const;

/** What customers know the shop by, and where their replies go. */
export function settingsRoutes({ pool, clock, site }: DashboardContext): ShopRoute[] {
  const readUploaded = createLogoReader();
  const pathOf = ({ shop }: ShopVisit): string => `/dashboard/${shop.id}/settings`;

  const send = async (
    visit: ShopVisit,
    reply: FastifyReply,
    status: number,
    shown: Pick<ShopSettingsProps, 'flash' | 'faults' | 'logoFault'> & { edits?: SettingEdits },
  ): Promise<FastifyReply> => {
    const [[settings], senders, [account]] = await Promise.all([
      readSettings(pool, [visit.shop.id]),
      listSenders(pool, visit.shop.id),
      readAccount(pool, visit.shop.id),
    ]);
    if (!settings) throw new Error('the shop is gone');
    const brand = { ...settings, ...brandIn(shown.edits ?? {}) };
    return sendDashboardPage(
      reply,
      status,
      shopSettingsPage({
        site,
        visit,
        settings,
        senders,
        credits: account?.balance ?? 0,
        now: clock.now(),
        typed: typedIn(shown.edits ?? {}),
        brand,
        preview: previewNudges(brand, site.publicUrl),
        flash: shown.flash ?? null,
        faults: shown.faults ?? {},
        ...(shown.logoFault !== undefined && { logoFault: shown.logoFault }),
      }),
    );
  };

  return [
    get('/dashboard/:business_id/settings', 'shop.view', (visit, request, reply) =>
      send(visit, reply, 200, { flash: flashIn(request, FLASHES) }),
    ),
    post('/dashboard/:business_id/settings', 'settings.change', async (visit, request, reply) => {
      const edits = editsIn(request);
      const outcome = await changeSettingsAsMember(pool, actionContext({ clock }, visit), edits);
      if ('faults' in outcome) return send(visit, reply, 422, { edits, faults: outcome.faults });
      return reply.redirect(site.to(`${pathOf(visit)}?flash=${outcome.changed ? 'saved' : 'same'}`), 303);
    }),
    // Writes nothing. What is wrong is said beside its field, and the preview shows the rest.
    post('/dashboard/:business_id/settings/preview', 'settings.change', (visit, request, reply) => {
      const edits = editsIn(request);
      return send(visit, reply, 200, { edits, faults: changesIn(edits).faults });
    }),
    post(
      '/dashboard/:business_id/settings/logo',
      { action: 'settings.change', takesFile: true },
      async (visit, request, reply) => {
        try {
          const logo = await readUploaded(visit.shop.id, uploadedFile(request, 'logo'));
          const changed = await setLogoAsMember(pool, actionContext({ clock }, visit), logo);
          const flash = changed ? 'logo_set' : 'logo_same';
          return reply.redirect(site.to(`${pathOf(visit)}?flash=${flash}`), 303);
        } catch (error) {
          if (!(error instanceof LogoRefused)) throw error;
          return send(visit, reply, 422, { logoFault: error.message });
        }
      },
    ),
    post(
      '/dashboard/:business_id/settings/logo/remove',
      'settings.change',
      async (visit, _request, reply) => {
        const removed = await removeLogoAsMember(pool, actionContext({ clock }, visit));
        return reply.redirect(
          site.to(`${pathOf(visit)}?flash=${removed ? 'logo_removed' : 'logo_none'}`),
          303,
        );
      },
    ),
  ];
}

const editsIn = (request: FastifyRequest): SettingEdits => editsOf(formOf(request), FIELDS);

const typedIn = (edits: SettingEdits): SettingTexts =>
  Object.fromEntries(Object.entries(edits).map(([name, { typed }]) => [name, typed]));

/** Name, colour and language as typed, where they can be used. */
function brandIn(edits: SettingEdits): Partial<Pick<Settings, 'name' | 'colour' | 'language'>> {
  const { changes } = changesIn(edits);
  return { ...changes.get('name'), ...changes.get('colour'), ...changes.get('language') };
}
