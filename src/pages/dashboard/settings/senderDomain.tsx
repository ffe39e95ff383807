import type { DomainFinding } from '../../../businesses/domains/judge.ts';
import { domainRecords, findingsToShow, recordsToSet } from '../../../businesses/domains/records.ts';
import type { DomainState, SenderDomain } from '../../../businesses/domains/sql.ts';
import { CodeBlock } from '../../kit/code.tsx';
import { Badge, type BadgeTone, ZonedTime } from '../../kit/components.tsx';
import { PostForm } from '../../kit/forms.tsx';
import type { Visit } from '../context.ts';

const STATES: Readonly<Record<DomainState, readonly [tone: BadgeTone, label: string, meaning: string]>> = {
  pending: [
    'waiting',
    'Not verified yet',
    'Emails go out from the shared address until the records are set. They are checked every day.',
  ],
  verified: ['good', 'Verified', 'Emails go out from this domain, signed with its own key.'],
  broken: ['bad', 'Broken', 'The key is gone from DNS, so emails go out from the shared address again.'],
};

const FOUND: Readonly<Record<DomainFinding['state'], readonly [tone: BadgeTone, label: string]>> = {
  good: ['good', 'Found'],
  missing: ['waiting', 'Missing'],
  wrong: ['bad', 'Wrong'],
  unknown: ['plain', 'Not answered'],
};

interface SenderDomainProps {
  visit: Pick<Visit, 'session'>;
  domain: SenderDomain;
  /** As in the records; null: none can be named. */
  mailServer: string | null;
  /** Where a check is asked for; null: not by this member. */
  checkPath: string | null;
}

/** The domain of a shop's address: whether it is used, what was found of its records, and those to set. */
export function SenderDomainState({ visit, domain, mailServer, checkPath }: SenderDomainProps) {
  const { selector, public_key: publicKey, state, findings, checked_at: at } = domain;
  const [tone, label, meaning] = STATES[state];
  const records = domainRecords({ domain: domain.domain, selector, publicKey }, mailServer);
  return (
    <>
      <p>
        <strong>{domain.domain}</strong> <Badge tone={tone} text={label} />
      </p>
      <p class="hint">{meaning}</p>
      <ul class="rows">
        {findingsToShow(findings, mailServer).map((found) => (
          <li>
            <strong>{found.record.toUpperCase()}</strong>{' '}
            <Badge tone={FOUND[found.state][0]} text={FOUND[found.state][1]} /> {found.says}
          </li>
        ))}
      </ul>
      {at !== null && (
        <p class="hint">
          Checked <ZonedTime at={at} />
        </p>
      )}
      {recordsToSet(records, findings).map(({ name, value }) => (
        <>
          <CodeBlock label="Name of the TXT record">{name}</CodeBlock>
          <CodeBlock label="Its value">{value}</CodeBlock>
        </>
      ))}
      {checkPath !== null && <PostForm action={checkPath} visit={visit} label="Check now" look="quiet" />}
    </>
  );
}
