import type { NewKey } from '../../../businesses/keys.ts';
import type { KeyWithUse } from '../../../businesses/keysSql.ts';
import { ACTIVE_KEYS_MAX, KEY_NAME_MAX } from '../../../config/limits.ts';
import type { KeyAccess } from '../../../contract/keys.ts';
import { isAllowed } from '../../../members/permissions.ts';
import { CodeBlock } from '../../kit/code.tsx';
import { Badge, EmptyState, FlashNote, ZonedTime } from '../../kit/components.tsx';
import type { Flash } from '../../kit/flash.ts';
import { ActionForm, FormField, SelectField } from '../../kit/forms.tsx';
import type { Site } from '../../kit/page.tsx';
import type { ShopVisit } from '../context.ts';
import { dashboardPage } from '../layout.tsx';
import { type KeyNode, keyTree } from './tree.ts';
export interface KeyFormFaults {
  name?: string;
  /** About the whole form. */
  form?: string;
}

interface KeysProps {
  site: Site;
  visit: ShopVisit;
  keys: readonly KeyWithUse[];
  flash: Flash | null;
  faults?: KeyFormFaults;
}

/** The active keys, each below the one that it falls with. */
export function keysPage({ site, visit, keys, flash, faults = {} }: KeysProps): string {
  const mayManage = isAllowed(visit.role, 'key.manage');
  const path = site.to(`/dashboard/${visit.shop.id}/keys`);
  return dashboardPage({
    site,
    title: 'API keys',
    visit,
    at: 'keys',
    children: (
      <>
        <h1>API keys</h1>
        {flash && <FlashNote {...flash} />}
        {faults.form !== undefined && <FlashNote tone="bad" text={faults.form} />}
        {keys.length === 0 ? (
          <EmptyState title="No active key">
            <p>
              {mayManage
                ? 'Create one below, and give it to the program that pushes your order updates.'
                : 'An owner of the shop can create one.'}
            </p>
          </EmptyState>
        ) : (
          <section class="panel" aria-labelledby="active-keys">
            <h2 id="active-keys">Active keys</h2>
            <p class="hint">
              A key that another one made stands below it, and is revoked with it. The time of its last use is
              kept to the minute.
            </p>
            <KeyBranch nodes={keyTree(keys)} path={mayManage ? path : null} />
          </section>
        )}
        {mayManage && <NewKeyForm path={path} visit={visit} faults={faults} isFull={isFull(keys)} />}
      </>
    ),
  });
}

const isFull = (keys: readonly KeyWithUse[]): boolean => keys.length >= ACTIVE_KEYS_MAX;

/** `path`: where keys are revoked; null: the reader may not. */
function KeyBranch({
  nodes,
  path,
}: {
  nodes: readonly KeyNode<KeyWithUse>[];
  path: string | null;
}): JSX.Element {
  return (
    <ul class="key-branch">
      {nodes.map(({ key, children }) => (
        <li>
          <div class="key-row">
            <KeyFacts item={key} />
            {path !== null && (
              <a class="button quiet" href={`${path}/${key.id}/revoke`} aria-label={`Revoke ${key.name} …`}>
                Revoke …
              </a>
            )}
          </div>
          {children.length > 0 && <KeyBranch nodes={children} path={path} />}
        </li>
      ))}
    </ul>
  );
}

/** A key as its readers know it: never more than its last letters. */
export function KeyFacts({ item }: { item: KeyWithUse }): JSX.Element {
  return (
    <span class="key-facts">
      <strong dir="auto">{item.name}</strong> <Badge tone="plain" text={ACCESS_WORDS[item.access]} />
      <span class="hint">
        <code>{item.masked}</code> · Made <ZonedTime at={item.created.toISOString()} />{' '}
        <span>{makerOf(item)}</span> ·{' '}
        {item.last_used_at === null ? (
          'Not used yet'
        ) : (
          <>
            Last used <ZonedTime at={item.last_used_at.toISOString()} />
          </>
        )}
      </span>
    </span>
  );
}

const ACCESS_WORDS: Record<KeyAccess, string> = {
  full: 'Full access',
  send: 'Sends and reads messages',
  read: 'Only reads',
};

function makerOf({ created_by, minted_by, parent_id, member_email }: KeyWithUse): string {
  if (minted_by !== null) return parent_id === null ? 'by another key, detached' : 'by another key';
  if (member_email !== null) return `by ${member_email}`;
  // An operator, or somebody who left the shop.
  return created_by?.startsWith('member:') ? 'in the dashboard' : 'by the operator';
}

function NewKeyForm({
  path,
  visit,
  faults,
  isFull: full,
}: {
  path: string;
  visit: ShopVisit;
  faults: KeyFormFaults;
  isFull: boolean;
}): JSX.Element {
  return (
    <section class="panel" aria-labelledby="new-key">
      <h2 id="new-key">Create a key</h2>
      {full ? (
        <p>A shop has at most {ACTIVE_KEYS_MAX} active keys. Revoke one that is not used any more.</p>
      ) : (
        <ActionForm action={path} formToken={visit.session.formToken}>
          <div class="stack">
            <FormField
              id="name"
              label="Name"
              type="text"
              maxlength={KEY_NAME_MAX}
              autocomplete="off"
              hint="What it is for, such as “Shop backend”."
              {...(faults.name !== undefined && { fault: faults.name })}
            />
            <SelectField
              id="access"
              label="Access"
              options={[
                ['full', 'Full: every call'],
                ['send', 'Send: push, and read what became of it'],
                ['read', 'Read: look, but change nothing'],
              ]}
              hint="Give a program the least that it needs. It cannot be changed later. For full access, you must have signed in within the last ten minutes."
            />
            <button class="button" type="submit">
              Create the key
            </button>
          </div>
        </ActionForm>
      )}
    </section>
  );
}

/** The one page that ever shows the whole key. */
export function newKeyPage({ site, visit, key }: { site: Site; visit: ShopVisit; key: NewKey }): string {
  return dashboardPage({
    site,
    title: 'Your new key',
    visit,
    at: 'keys',
    children: (
      <div class="sheet">
        <h1>Your new key</h1>
        <FlashNote tone="waiting" text="Save it now: it is shown only once, and we keep no copy." />
        <p class="key-facts">
          <strong dir="auto">{key.name}</strong> <Badge tone="plain" text={ACCESS_WORDS[key.access]} />
        </p>
        <CodeBlock label="The whole key">{key.key}</CodeBlock>
        <p>
          A program sends it with every call, as <code>Authorization: Bearer …</code>. Whoever has it can act
          for the shop, so keep it out of web pages, apps and chats.
        </p>
        <p>
          <a class="button" href={site.to(`/dashboard/${visit.shop.id}/keys`)}>
            I have saved it
          </a>
        </p>
      </div>
    ),
  });
}
