import type { Dispatcher } from 'undici';
import { SECOND } from '../kit/clock.ts';
import { exchange } from '../providers/http.ts';
import type { LoadCertificate } from './snsSignature.ts';

const TIMEOUT_MS = 5 * SECOND;
const MAX_BYTES = 64 * 1024;

/** What a process calls at SNS: for a certificate, and to confirm a subscription. */
export interface SnsCalls {
  loadCertificate: LoadCertificate;
  confirm(url: string): Promise<void>;
}

/** Both addresses were checked to be SNS's own before they come here. Neither call follows a redirect. */
export function snsCalls(client: Dispatcher): SnsCalls {
  const get = async (url: string): Promise<string> => {
    const limits = { signal: AbortSignal.timeout(TIMEOUT_MS), timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES };
    const result = await exchange(client, { method: 'GET', url, headers: {} }, limits);
    if (result.kind === 'answered' && result.status === 200 && result.whole) return result.body;
    throw new Error(
      `Amazon SNS could not be asked: ${result.kind === 'answered' ? `it answered ${result.status}` : result.errorCode}`,
    );
  };
  return {
    loadCertificate: get,
    confirm: async (url) => {
      await get(url);
    },
  };
}
