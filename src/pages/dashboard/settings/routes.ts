import type { FastifyReply, FastifyRequest } from 'fastify';
import { createLogoReader } from '../../../businesses/logo/reader.ts';
import { LogoRefused } from '../../../businesses/logo/refusal.ts';
import type { Settings } from '../../../businesses/settings.ts';
import { listSenders, readAccount, readSettings } from '../../../businesses/sql.ts';
import { formOf, queryOf } from '../../kit/request.ts';
import { type DashboardContext, type ShopRoute, type ShopVisit, sendDashboardPage } from '../context.ts';
import { changeSettingsAsMember, removeLogoAsMember, setLogoAsMember } from './actions.ts';
import { previewNudges } from './brandPreview.ts';
import { editsOf } from './edits.ts';
import { changesIn, type SettingEdits, type SettingTexts } from './fields.ts';
import { uploadedFile } from './upload.ts';
import { isDidToSettings, type ShopSettingsProps, shopSettingsPage } from './views.tsx';

const FIELDS = ['name', 'colour', 'language', 'contact_email', 'reply_forward'] as const;

/** What customers know the shop by, and where their replies go. */
export function settingsRoutes({ pool, clock, site }: DashboardContext): ShopRoute[] {
  const readUploaded = createLogoReader();
  const pathOf = ({ shop }: ShopVisit): string => `/dashboard/${shop.id}/settings`;
  const actOf = ({ shop, session }: ShopVisit) => ({
    businessId: shop.id,
    memberId: session.memberId,
    now: clock.now(),
  });

  const send = async (
    visit: ShopVisit,
    reply: FastifyReply,
    status: number,
    shown: Pick<ShopSettingsProps, 'did' | 'faults' | 'logoFault'> & { edits?: SettingEdits },
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
        did: shown.did ?? null,
        faults: shown.faults ?? {},
        ...(shown.logoFault !== undefined && { logoFault: shown.logoFault }),
      }),
    );
  };

  return [
    {
      method: 'GET',
      path: '/dashboard/:business_id/settings',
      action: 'shop.view',
      handle(visit, request, reply) {
        const { did } = queryOf(request);
        return send(visit, reply, 200, { did: isDidToSettings(did) ? did : null });
      },
    },
    {
      method: 'POST',
      path: '/dashboard/:business_id/settings',
      action: 'settings.change',
      async handle(visit, request, reply) {
        const edits = editsIn(request);
        const outcome = await changeSettingsAsMember(pool, actOf(visit), edits);
        if ('faults' in outcome) return send(visit, reply, 422, { edits, faults: outcome.faults });
        return reply.redirect(site.to(`${pathOf(visit)}?did=${outcome.changed ? 'saved' : 'same'}`), 303);
      },
    },
    {
      // Writes nothing. What is wrong is said beside its field, and the preview shows the rest.
      method: 'POST',
      path: '/dashboard/:business_id/settings/preview',
      action: 'settings.change',
      handle(visit, request, reply) {
        const edits = editsIn(request);
        return send(visit, reply, 200, { edits, faults: changesIn(edits).faults });
      },
    },
    {
      method: 'POST',
      path: '/dashboard/:business_id/settings/logo',
      action: 'settings.change',
      takesFile: true,
      async handle(visit, request, reply) {
        try {
          const logo = await readUploaded(visit.shop.id, uploadedFile(request, 'logo'));
          const changed = await setLogoAsMember(pool, actOf(visit), logo);
          const did = changed ? 'logo_set' : 'logo_same';
          return reply.redirect(site.to(`${pathOf(visit)}?did=${did}`), 303);
        } catch (error) {
          if (!(error instanceof LogoRefused)) throw error;
          return send(visit, reply, 422, { logoFault: error.message });
        }
      },
    },
    {
      method: 'POST',
      path: '/dashboard/:business_id/settings/logo/remove',
      action: 'settings.change',
      async handle(visit, _request, reply) {
        const removed = await removeLogoAsMember(pool, actOf(visit));
        return reply.redirect(site.to(`${pathOf(visit)}?did=${removed ? 'logo_removed' : 'logo_none'}`), 303);
      },
    },
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
