import { jsonIn, KiB } from '../callbackFormat.ts';
import type { ProviderKind } from '../kind.ts';
import type { OutboundWhatsapp } from '../provider.ts';
import { handshake, isFromMeta, mayBeMetaSignature, parseMetaCallback } from './callback.ts';
import { checkMeta } from './check.ts';
import { metaWhatsapp } from './send.ts';
import type { MetaSettings } from './settings.ts';

/** Meta bundles up to 3 MB. */
const BYTES_MAX = 4_096 * KiB;
const SIGNATURE = 'x-hub-signature-256';

export const meta: ProviderKind<OutboundWhatsapp, MetaSettings> = {
  open: metaWhatsapp,
  check: checkMeta,
  /** Statuses, replies and template reviews. */
  callbacks: ({ appSecret, verifyToken }) => ({
    bytesMax: BYTES_MAX,
    mayBeGenuine: ({ header }) => mayBeMetaSignature(header(SIGNATURE)),
    read: ({ header }, body) =>
      isFromMeta(appSecret, header(SIGNATURE), body) ? parseMetaCallback(jsonIn(body)) : null,
    handshake: (query) => handshake(verifyToken, query),
  }),
};
