/** Who pushes beside keys and members, as `messages.pushed_by` names them. */
export const TRACKING = 'tracking';
export const byConnection = (connectionId: string): string => `connection:${connectionId}`;
