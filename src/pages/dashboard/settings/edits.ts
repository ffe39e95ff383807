import type { SettingEdits, SettingName } from './fields.ts';

const TYPED_MAX = 2_000;

/** The fields of a form, each with the text that it showed at first, which the form sends beside it. */
export function editsOf(form: URLSearchParams, names: readonly SettingName[]): SettingEdits {
  const edits: SettingEdits = {};
  for (const name of names) {
    const typed = form.get(name);
    if (typed === null) continue;
    edits[name] = { typed: typed.trim().slice(0, TYPED_MAX), was: form.get(`was_${name}`) };
  }
  return edits;
}
