import type { KeyWithUse } from '../../../businesses/keysSql.ts';
import { ConfirmSheet } from '../../kit/forms.tsx';
import type { Site } from '../../kit/page.tsx';
import type { ShopVisit } from '../context.ts';
import { dashboardPage } from '../layout.tsx';
import type { FallOfKey } from './tree.ts';
import { KeyFacts } from './views.tsx';

interface RevokeKeyProps {
  site: Site;
  visit: ShopVisit;
  fall: FallOfKey<KeyWithUse>;
}

/** Lists what falls with the key before it is revoked. */
export function revokeKeyPage({ site, visit, fall: { key, below, staying } }: RevokeKeyProps): string {
  const path = site.to(`/dashboard/${visit.shop.id}/keys`);
  const count = below.length + 1;
  return dashboardPage({
    site,
    title: 'Revoke a key',
    visit,
    at: 'keys',
    children: (
      <ConfirmSheet
        title="Revoke this key?"
        action={`${path}/${key.id}/revoke`}
        formToken={visit.session.formToken}
        label={count === 1 ? 'Revoke the key' : `Revoke ${count} keys`}
        isDangerous
        back={{ href: path, label: 'Keep it, and go back to the keys' }}
      >
        <div class="stack">
          <p>Programs that use it are refused from their next call on. It cannot be undone.</p>
          <KeyList keys={[key]} />
          {below.length > 0 && (
            <>
              <p>{below.length === 1 ? 'This key falls with it:' : 'These keys fall with it:'}</p>
              <KeyList keys={below} />
            </>
          )}
          {staying.length > 0 && (
            <>
              <p>
                {staying.length === 1
                  ? 'This detached key was made with it and stays. Revoke it too, if the key has leaked:'
                  : 'These detached keys were made with it and stay. Revoke them too, if the key has leaked:'}
              </p>
              <KeyList keys={staying} />
            </>
          )}
        </div>
      </ConfirmSheet>
    ),
  });
}

function KeyList({ keys }: { keys: readonly KeyWithUse[] }): JSX.Element {
  return (
    <ul class="rows">
      {keys.map((key) => (
        <li class="row">
          <KeyFacts item={key} />
        </li>
      ))}
    </ul>
  );
}
