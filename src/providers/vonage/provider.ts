import { callbackPath, jsonIn, KiB } from '../callbackFormat.ts';
import type { ProviderKind } from '../kind.ts';
import type { OutboundText } from '../provider.ts';
import { isSignedBody, parseVonageCallback, vonageSignature } from './callback.ts';
import { checkVonage } from './check.ts';
import { vonageSms } from './send.ts';
import type { VonageSettings } from './settings.ts';

const BYTES_MAX = 128 * KiB;

export const vonage: ProviderKind<OutboundText, VonageSettings> = {
  open: (settings, deps) =>
    vonageSms(settings, { ...deps, callbackUrl: deps.publicUrl + callbackPath('vonage') }),
  check: checkVonage,
  callbacks: (settings, { wallClock }) => ({
    bytesMax: BYTES_MAX,
    mayBeGenuine: ({ header }) =>
      vonageSignature(settings, header('authorization'), wallClock.now()) !== null,
    refusal: 401,
    read({ header }, body) {
      const signed = vonageSignature(settings, header('authorization'), wallClock.now());
      return signed !== null && isSignedBody(signed, body)
        ? parseVonageCallback(signed.id, jsonIn(body))
        : null;
    },
  }),
};
