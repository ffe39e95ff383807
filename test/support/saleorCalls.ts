import { createHmac, createSign, generateKeyPairSync } from 'node:crypto';

/* What a Saleor store sends for the query that it was given, in our own values. */

export interface SaleorKeys {
  /** Published at /.well-known/jwks.json. */
  jwks: { keys: Record<string, unknown>[] };
  /** A detached JWS over the body as it is. Older stores leave out `crit`. */
  sign(body: Buffer, form?: 'new' | 'old'): string;
}

/** The keys of a store. */
export function saleorKeys(kid: string): SaleorKeys {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid, use: 'sig', key_ops: ['verify'] };
  return {
    jwks: { keys: [jwk] },
    sign(body, form = 'new') {
      const header = {
        alg: 'RS256',
        typ: 'JWT',
        kid,
        ...(form === 'new' ? { crit: ['b64'] } : {}),
        b64: false,
      };
      const encoded = Buffer.from(JSON.stringify(header)).toString('base64url');
      const signature = createSign('RSA-SHA256').update(`${encoded}.`).update(body).sign(privateKey);
      return `${encoded}..${signature.toString('base64url')}`;
    },
  };
}

export const saleorHmac = (secret: string, body: Buffer): string =>
  createHmac('sha256', secret).update(body).digest('hex');

interface SaleorEvent {
  at: string;
  order?: Record<string, unknown>;
  fulfillment?: Record<string, unknown>;
  notifyCustomer?: boolean;
}

/** The content of `event`, which is what Saleor sends. */
export const saleorEvent = (
  typename: string,
  { at, order = {}, fulfillment, notifyCustomer }: SaleorEvent,
) => ({
  __typename: typename,
  issuedAt: at,
  version: '3.20.1',
  ...(notifyCustomer === undefined ? {} : { notifyCustomer }),
  ...(fulfillment === undefined
    ? {}
    : {
        fulfillment: {
          id: 'RnVsZmlsbG1lbnQ6MQ==',
          status: 'FULFILLED',
          created: at,
          trackingNumber: 'CC100',
          ...fulfillment,
        },
      }),
  order: {
    id: 'T3JkZXI6MQ==',
    number: '81',
    status: 'UNFULFILLED',
    created: at,
    updatedAt: at,
    userEmail: 'mari@example.com',
    languageCodeEnum: 'ET',
    metadata: [],
    shippingAddress: { firstName: 'Mari', phone: '+37251234567', country: { code: 'EE' } },
    lines: [{ productName: 'Red mug', quantity: 2 }],
    events: [],
    ...order,
  },
});
