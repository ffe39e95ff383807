import type { Children } from '../kit/jsxRuntime.ts';

export const FONT = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
export const SMALL = `${FONT};font-size:13px;line-height:1.5;color:#5a6473`;
export const BREAKS = 'word-break:break-word;overflow-wrap:anywhere';

/** A table for the layout alone. */
export function Table({
  children,
  ...attributes
}: {
  children: Children;
  class?: string;
  width?: string;
  bgcolor?: string;
  style?: string;
}): JSX.Element {
  return (
    <table role="presentation" cellpadding="0" cellspacing="0" border={0} {...attributes}>
      {children}
    </table>
  );
}
