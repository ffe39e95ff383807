import type { FastifyRequest } from 'fastify';
import { readSettings } from '../../../businesses/sql.ts';
import type { Flashes } from '../../kit/flash.ts';
import { formOf } from '../../kit/request.ts';
import { EMPTY_FORM, type RefusedForm } from '../../kit/typedForm.ts';
import { actionContext, type DashboardContext, type ShopRoute, type ShopVisit } from '../context.ts';
import type { Page } from '../layout.tsx';
import { get, goTo, nothingHere, paidChannelOf, post } from '../route.ts';
import { changeSettingsAsMember } from '../settings/actions.ts';
import { editsOf, typedIn } from '../settings/fields.ts';
import { readChannelSetup } from './reads.ts';
import { channelPage, channelsPage, LIMITS } from './views.tsx';

const FLASHES = {
  saved: ['good', 'Saved. It holds from now on.'],
  same: ['waiting', 'Nothing was changed: it was like this already.'],
  sms_set: ['good', 'Texts were changed. It holds from the next push on.'],
  whatsapp_set: ['good', 'WhatsApp was changed. It holds from the next push on.'],
} satisfies Flashes;

/** The paid channels: whether and when they are used, where to and how often. */
export function channelRoutes(context: DashboardContext): ShopRoute[] {
  const { pool, clock } = context;
  const path = '/settings/channels';
  const leadTo = (visit: ShopVisit, flash: keyof typeof FLASHES) => goTo(visit, path, flash);

  const showList = async (visit: ShopVisit, form: RefusedForm): Promise<Page> => {
    const [settings] = await readSettings(pool, [visit.shop.id]);
    if (!settings) throw new Error('the shop is gone');
    return channelsPage(visit, settings, form);
  };

  const showChannel = async (visit: ShopVisit, request: FastifyRequest, fault?: string): Promise<Page> => {
    const channel = paidChannelOf(request);
    const setup = await readChannelSetup(pool, visit.shop.id, channel);
    if (setup === null) throw nothingHere();
    return channelPage({ visit, channel, setup, now: clock.now(), fault });
  };

  return [
    get(path, { action: 'shop.view', flashes: FLASHES }, (visit) => showList(visit, EMPTY_FORM)),
    post(path, 'settings.change', async (visit, request) => {
      const edits = editsOf(formOf(request), LIMITS);
      const outcome = await changeSettingsAsMember(pool, actionContext(context, visit), edits);
      if (!('faults' in outcome)) return leadTo(visit, outcome.changed ? 'saved' : 'same');
      return { ...(await showList(visit, { typed: typedIn(edits), ...outcome })), status: 422 };
    }),
    get(`${path}/:channel`, 'shop.view', (visit, request) => showChannel(visit, request)),
    post(`${path}/:channel`, 'settings.change', async (visit, request) => {
      const channel = paidChannelOf(request);
      const { mode } = editsOf(formOf(request), ['mode']);
      const edits = { [channel]: mode ?? { typed: '', was: null } };
      const outcome = await changeSettingsAsMember(pool, actionContext(context, visit), edits);
      if ('faults' in outcome)
        return { ...(await showChannel(visit, request, outcome.faults[channel])), status: 422 };
      return leadTo(visit, outcome.changed ? `${channel}_set` : 'same');
    }),
  ];
}
