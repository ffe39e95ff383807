import { isObject } from './isObject.ts';

/** An `input` that would take more than this, written as JSON in UTF-8, is shown as null. */
export const MAX_INPUT_BYTES = 16 * 1024;

/** The offending value as a fault shows it. Looks no further into a value than the limit reaches. */
export const shownInput = (value: unknown): unknown => (roomAfter(value, MAX_INPUT_BYTES) < 0 ? null : value);

/** What is left of `room` bytes once the value is written; negative as soon as it does not fit. */
function roomAfter(value: unknown, room: number): number {
  if (typeof value === 'string') return roomAfterText(value, room);
  if (Array.isArray(value)) return roomAfterList(value, room);
  if (isObject(value)) return roomAfterObject(value, room);
  return room - (JSON.stringify(value) ?? 'null').length;
}

function roomAfterText(text: string, room: number): number {
  return text.length > room ? -1 : room - Buffer.byteLength(JSON.stringify(text));
}

function roomAfterList(list: readonly unknown[], room: number): number {
  let left = room - 2 - Math.max(0, list.length - 1);
  for (let index = 0; index < list.length && left >= 0; index += 1) left = roomAfter(list[index], left);
  return left;
}

function roomAfterObject(object: Record<string, unknown>, room: number): number {
  const names = Object.keys(object);
  // Quotes, colon and one character of value; a comma each but the first.
  if (names.length * 4 > room) return -1;
  let left = room - 2 - Math.max(0, names.length - 1);
  for (let index = 0; index < names.length && left >= 0; index += 1) {
    const name = names[index] ?? '';
    left = roomAfter(object[name], roomAfterText(name, left) - 1);
  }
  return left;
}
