import type { FastifyReply, FastifyRequest } from 'fastify';
import { readSettings } from '../../../businesses/sql.ts';
import type { PaidChannel } from '../../../contract/channels.ts';
import { type Flashes, flashIn } from '../../kit/flash.ts';
import { formOf, paramOf } from '../../kit/request.ts';
import {
  actionContext,
  type DashboardContext,
  type ShopRoute,
  type ShopVisit,
  sendDashboardPage,
} from '../context.ts';
import { get, nothingHere, post } from '../route.ts';
import { changeSettingsAsMember } from '../settings/actions.ts';
import { editsOf } from '../settings/edits.ts';
import type { SettingTexts } from '../settings/fields.ts';
import { channelPage } from './channelView.tsx';
import { readChannelSetup } from './reads.ts';
import { channelsPage } from './views.tsx';

const FLASHES = {
  saved: ['good', 'Saved. It holds from now on.'],
  same: ['waiting', 'Nothing was changed: it was like this already.'],
  sms_set: ['good', 'Texts were changed. It holds from the next push on.'],
  whatsapp_set: ['good', 'WhatsApp was changed. It holds from the next push on.'],
} satisfies Flashes;

const LIMITS = ['countries', 'paid_per_recipient_hour'] as const;

/** The paid channels: whether and when they are used, where to and how often. */
export function channelRoutes({ pool, clock, site }: DashboardContext): ShopRoute[] {
  const path = '/dashboard/:business_id/settings/channels';
  const leadTo = (reply: FastifyReply, { shop }: ShopVisit, flash: string): FastifyReply =>
    reply.redirect(site.to(`/dashboard/${shop.id}/settings/channels?flash=${flash}`), 303);

  const sendList = async (
    visit: ShopVisit,
    reply: FastifyReply,
    status: number,
    shown: Pick<Parameters<typeof channelsPage>[0], 'flash' | 'faults' | 'typed'>,
  ): Promise<FastifyReply> => {
    const [settings] = await readSettings(pool, [visit.shop.id]);
    if (!settings) throw new Error('the shop is gone');
    return sendDashboardPage(reply, status, channelsPage({ site, visit, settings, ...shown }));
  };

  const sendChannel = async (
    visit: ShopVisit,
    request: FastifyRequest,
    reply: FastifyReply,
    faults: SettingTexts = {},
  ): Promise<FastifyReply> => {
    const channel = channelIn(request);
    const setup = channel === null ? null : await readChannelSetup(pool, visit.shop.id, channel);
    if (channel === null || setup === null) throw nothingHere();
    const fault = faults[channel];
    return sendDashboardPage(
      reply,
      fault === undefined ? 200 : 422,
      channelPage({ site, visit, channel, setup, now: clock.now(), fault }),
    );
  };

  return [
    get(path, 'shop.view', (visit, request, reply) =>
      sendList(visit, reply, 200, { flash: flashIn(request, FLASHES), faults: {}, typed: {} }),
    ),
    post(path, 'settings.change', async (visit, request, reply) => {
      const edits = editsOf(formOf(request), LIMITS);
      const outcome = await changeSettingsAsMember(pool, actionContext({ clock }, visit), edits);
      if (!('faults' in outcome)) return leadTo(reply, visit, outcome.changed ? 'saved' : 'same');
      const typed = Object.fromEntries(Object.entries(edits).map(([name, edit]) => [name, edit.typed]));
      return sendList(visit, reply, 422, { flash: null, faults: outcome.faults, typed });
    }),
    get(`${path}/:channel`, 'shop.view', (visit, request, reply) => sendChannel(visit, request, reply)),
    post(`${path}/:channel`, 'settings.change', async (visit, request, reply) => {
      const channel = channelIn(request);
      if (channel === null) throw nothingHere();
      const form = formOf(request);
      const edit = { typed: form.get('mode') ?? '', was: form.get('was_mode') };
      const outcome = await changeSettingsAsMember(pool, actionContext({ clock }, visit), {
        [channel]: edit,
      });
      if ('faults' in outcome) return sendChannel(visit, request, reply, outcome.faults);
      return leadTo(reply, visit, outcome.changed ? `${channel}_set` : 'same');
    }),
  ];
}

function channelIn(request: FastifyRequest): PaidChannel | null {
  const named = paramOf(request, 'channel');
  return named === 'sms' || named === 'whatsapp' ? named : null;
}
