import { handleReports } from '../callbacks/reports.ts';
import { OperatorError } from '../kit/errors.ts';
import { keyFromReference } from '../outbox/send.ts';
import { type ReadBounce, readBounce } from '../providers/smtp/bounces/bounce.ts';
import { MAIL_BYTES_MAX } from '../providers/smtp/bounces/readMail.ts';
import { returnAddresses } from '../providers/smtp/bounces/returnAddress.ts';
import { type Cli, command, type OpenDatabase } from './command.ts';
import { factsReport } from './layout.ts';

export const bouncesIngest = command({
  path: 'bounces ingest',
  about: 'Reads a returned mail from standard input and records what it says about the mail that was sent',
  async run(_given, cli) {
    const smtp = cli.config.providerSettings.email.find((one) => one.provider === 'smtp');
    if (!smtp?.bounces)
      throw new OperatorError('bounces ingest needs EMAIL_PROVIDER=smtp and BOUNCE_DOMAIN.');
    const mail = await mailIn(cli);
    const database = await cli.open();
    const addresses = returnAddresses(smtp.bounces.domain, await database.secretKeys());
    const bounce = await readBounce(addresses, mail);
    const tally = await record(database, bounce);
    const send = bounce.reference === null ? null : keyFromReference(bounce.reference);
    return factsReport({
      business_id: send?.business_id ?? null,
      send_id: send?.id ?? null,
      ...verdictFacts(bounce),
      ...tally,
      alarm: bounce.content.faults[0]?.sentence ?? null,
    });
  },
});

/** The beginning of what is piped in: it decides. */
async function mailIn({ input }: Cli): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of input()) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= MAIL_BYTES_MAX) break;
  }
  if (bytes === 0)
    throw new OperatorError('bounces ingest reads a mail from standard input, which is empty.');
  return Buffer.concat(chunks).subarray(0, MAIL_BYTES_MAX);
}

/** The workers find what became due by themselves. */
const record = async ({ pool, clock, hasher }: OpenDatabase, { content }: ReadBounce) =>
  handleReports(
    { pool, clock, hash: await hasher(), tracing: null, onEvents: () => {}, onSends: () => {} },
    content.reports,
  );

const verdictFacts = ({ verdict }: ReadBounce) => ({
  verdict: verdict.kind,
  severity: verdict.kind === 'bounce' ? verdict.severity : null,
  status: verdict.kind === 'bounce' ? verdict.status : null,
  why: verdict.kind === 'not_a_bounce' ? verdict.why : null,
});
