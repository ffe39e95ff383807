/** A time as the API takes it. */
export function timeText(name: string, time: string | Date): string {
  if (typeof time === 'string') return time;
  if (Number.isNaN(time.getTime())) throw new TypeError(`${name} is a Date that is not valid`);
  return time.toISOString();
}

/** Like JSON.stringify, which would write a Date that is not valid as null: no `send_at` means now. */
export const jsonText = (body: unknown): string =>
  JSON.stringify(body, function (this: unknown, name, value) {
    const given: unknown = Object(this)[name];
    return given instanceof Date ? timeText(name, given) : value;
  });
