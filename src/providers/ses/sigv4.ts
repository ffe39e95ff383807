import { createHash, createHmac } from 'node:crypto';

interface AwsCredentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken: string | null;
}

interface ToSign {
  method: string;
  url: URL;
  /** All of them are signed, with the host and the date. */
  headers: Record<string, string>;
  body: string;
  region: string;
  service: string;
}

const ALGORITHM = 'AWS4-HMAC-SHA256';

/** The request's headers with an AWS signature, version 4. The paths of SES need no escaping and have no query. */
export function sigv4Headers(
  { method, url, headers, body, region, service }: ToSign,
  { accessKeyId, secretAccessKey, sessionToken }: AwsCredentials,
  now: Date,
): Record<string, string> {
  const stamp = now.toISOString().replace(/[:-]|\.\d{3}/g, '');
  const day = stamp.slice(0, 'yyyymmdd'.length);
  const signed: Record<string, string> = {
    ...headers,
    host: url.host,
    'x-amz-date': stamp,
    ...(sessionToken === null ? {} : { 'x-amz-security-token': sessionToken }),
  };
  const names = Object.keys(signed).sort();
  const request = [
    method,
    url.pathname,
    '',
    ...names.map((name) => `${name}:${signed[name]?.trim().replace(/\s+/g, ' ')}`),
    '',
    names.join(';'),
    sha256Hex(body),
  ].join('\n');
  const scope = `${day}/${region}/${service}/aws4_request`;
  const toSign = [ALGORITHM, stamp, scope, sha256Hex(request)].join('\n');
  const secret: Buffer = Buffer.from(`AWS4${secretAccessKey}`);
  const key = [day, region, service, 'aws4_request'].reduce(hmac, secret);
  const signature = hmac(key, toSign).toString('hex');
  return {
    ...signed,
    authorization: `${ALGORITHM} Credential=${accessKeyId}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`,
  };
}

const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

const sha256Hex = (text: string): string => createHash('sha256').update(text).digest('hex');
