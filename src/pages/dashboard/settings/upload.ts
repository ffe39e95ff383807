import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Response } from 'undici';
import { bodyParser } from '../../../api/readBody.ts';

/** Somewhat more than the largest logo, so that a file that is too large gets a sentence beside its field. */
const UPLOAD_MAX = 512 * 1024;

const files = new WeakMap<FastifyRequest, ReadonlyMap<string, Buffer>>();

/** The file of a field of a form with uploads; empty: none was chosen. */
export const uploadedFile = (request: FastifyRequest, name: string): Buffer =>
  files.get(request)?.get(name) ?? Buffer.alloc(0);

/** For a scope whose forms may carry files. Their texts are read like those of any form; names and types of files are dropped. */
export function takeUploads(app: FastifyInstance): void {
  app.addContentTypeParser(
    'multipart/form-data',
    bodyParser((body) => body, UPLOAD_MAX),
  );
  app.addHook('preHandler', async (request) => {
    if (!Buffer.isBuffer(request.body)) return;
    const texts = new URLSearchParams();
    const found = new Map<string, Buffer>();
    for (const [name, value] of await partsOf(request.body, request.headers['content-type'] ?? '')) {
      if (typeof value === 'string') texts.append(name, value);
      else found.set(name, Buffer.from(await value.arrayBuffer()));
    }
    request.body = texts;
    files.set(request, found);
  });
}

/** undici has the parser of `fetch`, which follows the standard to the letter. */
async function partsOf(body: Buffer, type: string) {
  try {
    return await new Response(body, { headers: { 'content-type': type } }).formData();
  } catch {
    throw Object.assign(new Error('the form cannot be read'), { statusCode: 400 });
  }
}
