import { actingMember } from '../businesses/audit.ts';
import { type Logo, removeLogo, setLogo } from '../businesses/logo/logo.ts';
import type { Settings, SettingsChange } from '../businesses/settings.ts';
import { changeSettings } from '../businesses/settingsChange.ts';
import type { Pool } from '../db/pool.ts';
import { transaction } from '../db/transaction.ts';
import {
  changesIn,
  editedFields,
  type SettingEdits,
  type SettingTexts,
  settingFields,
} from './settingFields.ts';

interface SettingsAct {
  businessId: string;
  memberId: string;
  now: Date;
}

const ATTEMPTS = 3;

type SettingsOutcomeForMember = { changed: boolean } | { faults: SettingTexts };

/**
 * Changes the fields that the member edited, all or none. Two tabs may have the same form open: a field that somebody changed
 * since it was shown is not overwritten, and one that was left alone is not set back.
 */
export async function changeSettingsAsMember(
  pool: Pool,
  { businessId, memberId, now }: SettingsAct,
  edits: SettingEdits,
): Promise<SettingsOutcomeForMember> {
  const { changes, faults } = changesIn(edits);
  if (Object.keys(faults).length > 0) return { faults };
  try {
    const { changed } = await transaction(
      pool,
      (tx) =>
        changeSettings(
          tx,
          now,
          businessId,
          (before) => {
            checkNotOvertaken(before, edits, changes);
            return Object.assign({}, ...changes.values());
          },
          actingMember(memberId),
        ),
      { attempts: ATTEMPTS },
    );
    return { changed };
  } catch (error) {
    if (error instanceof Overtaken) return { faults: error.faults };
    throw error;
  }
}

function checkNotOvertaken(
  before: Settings,
  edits: SettingEdits,
  changes: ReadonlyMap<string, SettingsChange>,
): void {
  const faults: SettingTexts = {};
  for (const [name, { was }] of editedFields(edits)) {
    const change = changes.get(name);
    const { shown } = settingFields[name];
    if (change === undefined || was === null || shown(before) === was) continue;
    if (shown({ ...before, ...change }) === shown(before)) continue;
    faults[name] =
      `Somebody changed this in the meantime, to “${shown(before) || 'blank'}”. Save again to replace it.`;
  }
  if (Object.keys(faults).length > 0) throw new Overtaken(faults);
}

class Overtaken extends Error {
  readonly faults: SettingTexts;

  constructor(faults: SettingTexts) {
    super('the settings were changed meanwhile');
    this.faults = faults;
  }
}

/** False: it is the logo already. */
export const setLogoAsMember = (
  pool: Pool,
  { businessId, memberId, now }: SettingsAct,
  logo: Logo,
): Promise<boolean> =>
  transaction(pool, (tx) => setLogo(tx, now, businessId, logo, actingMember(memberId)), {
    attempts: ATTEMPTS,
  });

/** False: there was none. */
export const removeLogoAsMember = (
  pool: Pool,
  { businessId, memberId, now }: SettingsAct,
): Promise<boolean> =>
  transaction(pool, (tx) => removeLogo(tx, now, businessId, actingMember(memberId)), { attempts: ATTEMPTS });
