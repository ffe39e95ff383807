import Type from 'typebox';

/** A moment as it leaves: RFC 3339 in UTC with milliseconds. */
export const Timestamp = () => Type.String({ format: 'date-time', examples: ['2026-08-20T09:15:00.000Z'] });
