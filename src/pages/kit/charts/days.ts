const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;

const monthOf = (period: string): string => MONTHS[Number(period.slice(5, 7)) - 1] ?? '';

/** `2026-12-02` as `2 Dec`. */
export const shownDay = (day: string): string => `${Number(day.slice(8, 10))} ${monthOf(day)}`;

/** `2026-12` as `Dec 2026`. */
export const shownMonth = (month: string): string => `${monthOf(month)} ${month.slice(0, 4)}`;
