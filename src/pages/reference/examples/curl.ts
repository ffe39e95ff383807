import { curlCommand } from '../../kit/code.tsx';
import type { ExampleCall } from './call.ts';

/** To paste into a shell. */
export function curlExample({ baseUrl, path, idempotencyKey, apiKey, note, ...call }: ExampleCall): string {
  const command = curlCommand({
    ...call,
    url: `${baseUrl}${path}`,
    bearer: apiKey ?? '$WAYPOST_API_KEY',
    ...(idempotencyKey !== null && { idempotencyKey }),
  });
  return note === null ? command : `# ${note}\n${command}`;
}
