import { withQuery } from '../../kit/request.ts';
import { type CountedTrouble, TROUBLE_COUNTED_MAX } from './troubles.ts';
import { TROUBLES, type Trouble } from './troublesSql.ts';

/** Of what is counted here: what else a shop's overview warns of stands beside it. */
const NONE = 'No shop is paused, unpaid, out of the credits that it had, or cut off from its events.';

interface TroubleLinksProps {
  path: string;
  troubles: readonly CountedTrouble[];
  /** The kind whose shops are listed. */
  chosen: Trouble | null;
}

/** What is wrong with how many shops; each leads to them. */
export function TroubleLinks({ path, troubles, chosen }: TroubleLinksProps) {
  if (troubles.length === 0) return <p class="hint">{NONE}</p>;
  return (
    <nav class="troubles" aria-label="Shops that need attention">
      {troubles.map(({ name, shops }) => (
        <a
          class={TROUBLES[name].tone}
          href={withQuery(path, { needs: name })}
          aria-current={name === chosen ? 'page' : undefined}
        >
          {TROUBLES[name].title} <strong>{shownCount(shops.length)}</strong>
        </a>
      ))}
    </nav>
  );
}

const shownCount = (count: number): string =>
  count < TROUBLE_COUNTED_MAX ? String(count) : `${TROUBLE_COUNTED_MAX - 1}+`;
