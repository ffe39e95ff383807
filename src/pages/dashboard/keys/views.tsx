import type { NewKey } from '../../../businesses/keys.ts';
import type { KeyWithUse } from '../../../businesses/keysSql.ts';
import { ACTIVE_KEYS_MAX, KEY_NAME_MAX } from '../../../config/limits.ts';
import type { KeyAccess } from '../../../contract/keys.ts';
import { CodeBlock } from '../../kit/code.tsx';
import {
  Badge,
  ButtonLine,
  EmptyState,
  FlashNote,
  LinkButton,
  Panel,
  ZonedTime,
} from '../../kit/components.tsx';
import { FormField, PostForm, SelectField } from '../../kit/forms.tsx';
import { fieldState, type RefusedForm } from '../../kit/typedForm.ts';
import { confirmPage } from '../confirm.tsx';
import type { ShopVisit } from '../context.ts';
import type { Page } from '../layout.tsx';
import { type FallOfKey, type KeyNode, keyTree } from './tree.ts';

/** The active keys, each below the one that it falls with. */
export function keysPage(visit: ShopVisit, keys: readonly KeyWithUse[], form: RefusedForm): Page {
  const mayManage = visit.may('key.manage');
  return {
    title: 'API keys',
    at: 'keys',
    children: (
      <>
        {keys.length === 0 ? (
          <EmptyState
            title="No active key"
            text={
              mayManage
                ? 'Create one below, and give it to the program that pushes your order updates.'
                : 'An owner of the shop can create one.'
            }
          />
        ) : (
          <Panel id="active-keys" title="Active keys">
            <p class="hint">
              A key that another one made stands below it, and is revoked with it. The time of its last use is
              kept to the minute.
            </p>
            {keyBranch(visit, keyTree(keys))}
          </Panel>
        )}
        {mayManage && (
          <Panel id="new-key" title="Create a key">
            {keys.length >= ACTIVE_KEYS_MAX ? (
              <p>A shop has at most {ACTIVE_KEYS_MAX} active keys. Revoke one that is not used any more.</p>
            ) : (
              newKeyForm(visit, form)
            )}
          </Panel>
        )}
      </>
    ),
  };
}

const keyBranch = (visit: ShopVisit, nodes: readonly KeyNode<KeyWithUse>[]) => (
  <ul class="key-branch">
    {nodes.map(({ key, children }) => (
      <li>
        <div class="key-row">
          {keyFacts(key)}
          {visit.may('key.manage') && (
            <LinkButton
              href={visit.to(`/keys/${key.id}/revoke`)}
              label="Revoke …"
              about={`Revoke ${key.name} …`}
            />
          )}
        </div>
        {children.length > 0 && keyBranch(visit, children)}
      </li>
    ))}
  </ul>
);

/** A key as its readers know it: never more than its last letters. */
const keyFacts = (key: KeyWithUse) => (
  <span class="key-facts">
    <strong dir="auto">{key.name}</strong> <Badge tone="plain" text={ACCESS_WORDS[key.access]} />
    <span class="hint">
      <code>{key.masked}</code> · Made <ZonedTime at={key.created} /> {makerOf(key)} ·{' '}
      {key.last_used_at === null ? 'Not used yet' : ['Last used ', <ZonedTime at={key.last_used_at} />]}
    </span>
  </span>
);

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

const newKeyForm = (visit: ShopVisit, form: RefusedForm) => (
  <PostForm visit={visit} action={visit.to('/keys')} label="Create the key">
    <FormField
      {...fieldState(form, 'name')}
      label="Name"
      type="text"
      maxlength={KEY_NAME_MAX}
      autocomplete="off"
      hint="What it is for, such as “Shop backend”."
    />
    <SelectField
      {...fieldState(form, 'access')}
      label="Access"
      options={[
        ['full', 'Full: every call'],
        ['send', 'Send: push, and read what became of it'],
        ['read', 'Read: look, but change nothing'],
      ]}
      hint="Give a program the least that it needs. It cannot be changed later. For full access, you must have signed in within the last ten minutes."
    />
  </PostForm>
);

/** The one page that ever shows the whole key. */
export const newKeyPage = (visit: ShopVisit, { name, access, key }: NewKey): Page => ({
  title: 'Your new key',
  at: 'keys',
  isSheet: true,
  children: (
    <>
      <FlashNote tone="waiting" text="Save it now: it is shown only once, and we keep no copy." />
      <p class="key-facts">
        <strong dir="auto">{name}</strong> <Badge tone="plain" text={ACCESS_WORDS[access]} />
      </p>
      <CodeBlock label="The whole key">{key}</CodeBlock>
      <p>
        A program sends it with every call, as <code>Authorization: Bearer …</code>. Anybody who has it can
        act for the shop, so keep it out of web pages, apps and chats.
      </p>
      <ButtonLine href={visit.to('/keys')} label="I have saved it" />
    </>
  ),
});

/** Lists what falls with the key before it is revoked. */
export function revokeKeyPage(visit: ShopVisit, { key, below, staying }: FallOfKey<KeyWithUse>): Page {
  const path = visit.to('/keys');
  return confirmPage(visit, {
    title: 'Revoke a key',
    at: 'keys',
    question: 'Revoke this key?',
    action: `${path}/${key.id}/revoke`,
    label: below.length === 0 ? 'Revoke the key' : `Revoke ${below.length + 1} keys`,
    isDangerous: true,
    back: { href: path, label: 'Keep it, and go back to the keys' },
    children: (
      <>
        <p>Programs that use it are refused from their next call on. It cannot be undone.</p>
        {keyList([key])}
        {below.length > 0 && (
          <>
            <p>{below.length === 1 ? 'This key falls with it:' : 'These keys fall with it:'}</p>
            {keyList(below)}
          </>
        )}
        {staying.length > 0 && (
          <>
            <p>
              {staying.length === 1
                ? 'This detached key was made with it and stays. Revoke it too, if the key has leaked:'
                : 'These detached keys were made with it and stay. Revoke them too, if the key has leaked:'}
            </p>
            {keyList(staying)}
          </>
        )}
      </>
    ),
  });
}

const keyList = (keys: readonly KeyWithUse[]) => (
  <ul class="rows">
    {keys.map((key) => (
      <li class="row">{keyFacts(key)}</li>
    ))}
  </ul>
);
