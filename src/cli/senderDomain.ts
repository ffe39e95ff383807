import { OPERATOR } from '../businesses/audit.ts';
import { checkDomain } from '../businesses/domains/check.ts';
import { type DomainFinding, judgeDmarc } from '../businesses/domains/judge.ts';
import { askAboutDmarc, createLookUp } from '../businesses/domains/lookUp.ts';
import {
  domainRecords,
  findingsToShow,
  mailServerOf,
  newDkimKey,
  ownSigners,
  recordsToSet,
  signsHere,
} from '../businesses/domains/records.ts';
import { readDomain } from '../businesses/domains/sql.ts';
import { addEmailSender } from '../businesses/senders.ts';
import { domainOf } from '../kit/emailAddress.ts';
import { OperatorError } from '../kit/errors.ts';
import { email, oneOf } from '../kit/typedValues.ts';
import { changeBusiness, requireBusiness } from './businessView.ts';
import { argument, BUSINESS_ID, type Cli, command, type OpenDatabase, type Report } from './command.ts';
import { facts, table } from './layout.ts';

export const senderAdd = command({
  path: 'sender add',
  about: "Gives a business its own address for emails, used once its domain's DNS records are right",
  arguments: {
    ID: BUSINESS_ID,
    CHANNEL: argument('email', oneOf(['email'])),
    ADDRESS: argument('an email address', email),
  },
  async run({ ID: businessId, ADDRESS: address }, cli) {
    const database = await cli.open();
    if (!signsHere(cli.config.providers.email)) {
      await requireBusiness(database.pool, businessId);
      return providersSign(cli, businessId, address);
    }
    const { pool, clock } = database;
    const [key, sealer] = await Promise.all([newDkimKey(), database.sealer()]);
    await changeBusiness(pool, businessId, (tx) =>
      addEmailSender(tx, clock.now(), sealer, { businessId, actor: OPERATOR, address, key }),
    );
    return checkedDomain(cli, database, businessId);
  },
});

export const senderCheck = command({
  path: 'sender check',
  about: "Checks the DNS records of a business's domain now, and shows them",
  arguments: { ID: BUSINESS_ID },
  async run({ ID: businessId }, cli) {
    const database = await cli.open();
    await requireBusiness(database.pool, businessId);
    const report = await checkedDomain(cli, database, businessId);
    return { ...report, failed: report.json.state !== 'verified' };
  },
});

async function checkedDomain(cli: Cli, { pool, clock }: OpenDatabase, businessId: string) {
  await checkDomain({ pool, clock, nameServers: cli.nameServers }, businessId, OPERATOR, 0);
  const [stored] = await readDomain(pool, businessId);
  if (!stored)
    throw new OperatorError('The business has no domain that is checked: sender add gives it one.');
  const { domain, state, checked_at, findings, selector, public_key: publicKey } = stored;
  const mailServer = mailServerOf(cli.config.providerSettings.email);
  const records = recordsToSet(domainRecords({ domain, selector, publicKey }, mailServer), findings);
  const shownFindings = findingsToShow(findings, mailServer);
  const advice = verifyElsewhere(cli, domain);
  const json = { business_id: businessId, domain, state, checked_at };
  const shown = records.map(({ name, value, strings }) =>
    [
      `TXT  ${name}`,
      value,
      ...(strings.length > 1 ? [IN_PARTS, ...strings.map((one) => `"${one}"`)] : []),
    ].join('\n'),
  );
  const text = [
    facts(Object.entries(json)),
    `The records of ${domain}:`,
    ...shown,
    findingTable(shownFindings),
    state === 'verified' ? 'Mails go out from this domain.' : NOT_USED,
    ...(advice === '' ? [] : [advice]),
  ];
  return { json: { ...json, findings: shownFindings, records, advice }, text: text.join('\n\n') };
}

const IN_PARTS = 'The same, where a panel takes no more than 255 characters at once:';
const NOT_USED = 'Until it is verified, mails go out from the shared sender. It is checked again every day.';

/** Nothing is stored: only the provider knows whether it may send from there. */
async function providersSign(cli: Cli, businessId: string, address: string): Promise<Report> {
  const domain = domainOf(address);
  const findings = [judgeDmarc(domain, await askAboutDmarc(createLookUp(cli.nameServers), domain))];
  const advice = `Nothing was changed. ${verifyElsewhere(cli, domain)} Then run: sender set ${businessId} email ${address}`;
  return {
    json: { business_id: businessId, domain, state: null, findings, advice },
    text: `${findingTable(findings)}\n\n${advice}`,
    failed: true,
  };
}

/** What the providers with keys of their own need; empty: there is none. */
const verifyElsewhere = (cli: Cli, domain: string): string =>
  ownSigners(cli.config.providers.email)
    .map(
      (provider) =>
        `EMAIL_PROVIDER names ${provider}, which signs with a key of its own: verify ${domain} there (docs/providers/${provider}.md).`,
    )
    .join(' ');

const findingTable = (findings: readonly DomainFinding[]): string =>
  table(
    ['record', '', 'found'],
    findings.map(({ record, state, says }) => [record.toUpperCase(), state, says]),
    'Nothing was found out yet.',
  );
