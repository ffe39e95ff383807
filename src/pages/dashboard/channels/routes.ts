import type { FastifyRequest } from 'fastify';
import type { Flashes } from '../../kit/flash.ts';
import { formOf } from '../../kit/request.ts';
import { EMPTY_FORM, type RefusedForm } from '../../kit/typedForm.ts';
import { actionContext, type DashboardContext, type ShopRoute, type ShopVisit } from '../context.ts';
import { get, goTo, paidChannelOf, post } from '../route.ts';
import { changeSettingsAsMember, readShopSettings } from '../settings/actions.ts';
import { editsOf, typedIn } from '../settings/fields.ts';
import { readChannelSetup } from './reads.ts';
import { channelPage, channelsPage, editsOfChannels } from './views.tsx';

const FLASHES = {
  saved: ['good', 'Saved. It holds from now on.'],
  same: ['waiting', 'Nothing was changed: it was like this already.'],
  sms_set: ['good', 'SMS was changed. It holds from the next push on.'],
  whatsapp_set: ['good', 'WhatsApp was changed. It holds from the next push on.'],
} satisfies Flashes;

/** The paid channels: whether and when they are used, where to and how often. */
export function channelRoutes(context: DashboardContext): ShopRoute[] {
  const { pool, clock } = context;
  const path = '/settings/channels';
  const leadTo = (visit: ShopVisit, flash: keyof typeof FLASHES) => goTo(visit, path, flash);

  const showList = async (visit: ShopVisit, form: RefusedForm) =>
    channelsPage(visit, await readShopSettings(pool, visit.shop.id), form);

  const showChannel = async (visit: ShopVisit, request: FastifyRequest, fault?: string) => {
    const channel = paidChannelOf(request);
    const setup = await readChannelSetup(pool, visit.shop.id, channel);
    return channelPage({
      visit,
      channel,
      setup,
      now: clock.now(),
      fault,
      sendersTo: context.smsSendersTo,
    });
  };

  return [
    get(path, { action: 'shop.view', flashes: FLASHES }, (visit) => showList(visit, EMPTY_FORM)),
    post(path, 'settings.change', async (visit, request) => {
      const edits = editsOfChannels(formOf(request));
      const outcome = await changeSettingsAsMember(pool, actionContext(context, visit), edits);
      if (!outcome.faults) return leadTo(visit, outcome.changed ? 'saved' : 'same');
      return { ...(await showList(visit, { typed: typedIn(edits), faults: outcome.faults })), status: 422 };
    }),
    get(`${path}/:channel`, 'shop.view', (visit, request) => showChannel(visit, request)),
    post(`${path}/:channel`, 'settings.change', async (visit, request) => {
      const channel = paidChannelOf(request);
      const mode = editsOf(formOf(request), ['mode']).get('mode') ?? { typed: '', was: null };
      const edits = new Map([[channel, mode]]);
      const outcome = await changeSettingsAsMember(pool, actionContext(context, visit), edits);
      if (outcome.faults)
        return { ...(await showChannel(visit, request, outcome.faults[channel])), status: 422 };
      return leadTo(visit, outcome.changed ? `${channel}_set` : 'same');
    }),
  ];
}
