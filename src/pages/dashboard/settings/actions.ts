import type { Settings, SettingsChange } from '../../../businesses/settings.ts';
import { changeSettings } from '../../../businesses/settingsChange.ts';
import { readSettings } from '../../../businesses/sql.ts';
import type { Pool } from '../../../db/pool.ts';
import type { Queryable } from '../../../db/statement.ts';
import { type ActionContext, memberTransaction } from '../context.ts';
import { orNothingHere } from '../route.ts';
import {
  changesIn,
  type SettingEdits,
  type SettingField,
  type SettingTexts,
  settingFields,
} from './fields.ts';

export async function readShopSettings(db: Queryable, businessId: string) {
  const [settings] = await readSettings(db, [businessId]);
  return orNothingHere(settings);
}

/**
 * Changes the fields that the member edited, all or none. Two tabs may have the same form open: a field that somebody changed
 * since it was shown is not overwritten, and one that was left alone is not set back.
 */
export async function changeSettingsAsMember(
  pool: Pool,
  { businessId, actor, now }: ActionContext,
  edits: SettingEdits,
) {
  const { changes, faults } = changesIn(edits);
  if (Object.keys(faults).length > 0) return { faults };
  try {
    const { changed } = await memberTransaction(pool, (tx) => {
      const change = (before: Settings): SettingsChange => {
        const faults = faultsUnderLock(before, edits, changes);
        if (Object.keys(faults).length > 0) throw new RefusedEdits(faults);
        return Object.assign({}, ...changes.values());
      };
      return changeSettings(tx, now, businessId, change, actor);
    });
    return { changed };
  } catch (error) {
    if (error instanceof RefusedEdits) return { faults: error.faults };
    throw error;
  }
}

/** What only the settings as they are now can tell: somebody changed a field meanwhile, or the operator allows less. */
function faultsUnderLock(
  before: Settings,
  edits: SettingEdits,
  changes: ReturnType<typeof changesIn>['changes'],
): SettingTexts {
  const faults: SettingTexts = {};
  for (const [name, change] of changes) {
    const was = edits.get(name)?.was ?? null;
    const { shown, beyond }: SettingField = settingFields[name];
    const after = { ...before, ...change };
    const isOvertaken = was !== null && shown(before) !== was && shown(after) !== shown(before);
    const fault = isOvertaken
      ? `Somebody changed this in the meantime, to “${shown(before) || 'blank'}”. Save again to replace it.`
      : beyond?.(after);
    if (fault) faults[name] = fault;
  }
  return faults;
}

class RefusedEdits extends Error {
  readonly faults: SettingTexts;

  constructor(faults: SettingTexts) {
    super('the settings as they are now refuse the edits');
    this.faults = faults;
  }
}
