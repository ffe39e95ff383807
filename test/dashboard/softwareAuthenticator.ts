import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';

/** An authenticator with one passkey, for requests that no browser would send. It does what it is told, also what is wrong. */
export class SoftwareAuthenticator {
  readonly id = randomBytes(16);
  readonly origin: string;
  counter = 0;
  userHandle: string | null = null;
  readonly #key: KeyObject;
  readonly #publicKey: Buffer;

  constructor(origin: string) {
    this.origin = origin;
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
    this.#key = privateKey;
    // COSE: kty EC2, alg ES256, crv P-256, x, y.
    this.#publicKey = Buffer.concat([
      Buffer.from('a5010203262001215820', 'hex'),
      Buffer.from(x, 'base64url'),
      Buffer.from('225820', 'hex'),
      Buffer.from(y, 'base64url'),
    ]);
  }

  /** The answer to `navigator.credentials.create`, as the page's script sends it. */
  create(options: CreationOptions, wrong: Wrong = {}): string {
    this.userHandle = options.user.id;
    const length = Buffer.alloc(2);
    length.writeUInt16BE(this.id.length);
    const attested = Buffer.concat([Buffer.alloc(16), length, this.id, this.#publicKey]);
    const data = this.#authenticatorData(wrong, attested);
    const size = Buffer.alloc(2);
    size.writeUInt16BE(data.length);
    // CBOR: {"fmt": "none", "attStmt": {}, "authData": bytes}
    const attestation = Buffer.concat([
      Buffer.from('a363666d74646e6f6e656761747453746d74a068617574684461746159', 'hex'),
      size,
      data,
    ]);
    return JSON.stringify({
      id: this.id.toString('base64url'),
      response: {
        clientDataJSON: this.#clientData('webauthn.create', options.challenge, wrong),
        attestationObject: attestation.toString('base64url'),
        transports: ['internal'],
      },
    });
  }

  /** The answer to `navigator.credentials.get`. */
  use(options: { challenge: string }, wrong: Wrong = {}): string {
    this.counter += 1;
    const data = this.#authenticatorData(wrong);
    const clientData = this.#clientData('webauthn.get', options.challenge, wrong);
    const signed = Buffer.concat([data, sha256Of(Buffer.from(clientData, 'base64url'))]);
    return JSON.stringify({
      id: this.id.toString('base64url'),
      response: {
        clientDataJSON: clientData,
        authenticatorData: data.toString('base64url'),
        signature: createSign('sha256')
          .update(signed)
          .sign(wrong.key ?? this.#key)
          .toString('base64url'),
        userHandle: wrong.userHandle ?? this.userHandle,
      },
    });
  }

  #clientData(type: string, challenge: string, { origin = this.origin }: Wrong): string {
    const text = JSON.stringify({ type, challenge, origin, crossOrigin: false });
    return Buffer.from(text).toString('base64url');
  }

  #authenticatorData(
    { host = new URL(this.origin).hostname, isUnverified = false, counter = this.counter }: Wrong,
    attested = Buffer.alloc(0),
  ): Buffer {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    const flags = 0x01 | (isUnverified ? 0 : 0x04) | (attested.length > 0 ? 0x40 : 0);
    return Buffer.concat([sha256Of(Buffer.from(host)), Buffer.from([flags]), count, attested]);
  }
}

interface CreationOptions {
  challenge: string;
  user: { id: string };
}

/** What an answer may have wrong. */
interface Wrong {
  origin?: string;
  host?: string;
  isUnverified?: boolean;
  counter?: number;
  userHandle?: string;
  key?: KeyObject;
}

const sha256Of = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest();
