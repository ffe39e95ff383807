import { OperatorError } from '../../kit/errors.ts';

/** An image that cannot be a logo; the message says why, and what to do. */
export class LogoRefused extends OperatorError {}

/** A sender's image may be large on disk; a browser must be able to show it at once. */
const LOGO_SIDE_MAX = 2_048;

export function checkSides(width: number, height: number): void {
  if (width < 1 || height < 1) throw new LogoRefused('The image is empty.');
  if (width > LOGO_SIDE_MAX || height > LOGO_SIDE_MAX)
    throw new LogoRefused(
      `The image has ${width} × ${height} pixels. Make it at most ${LOGO_SIDE_MAX} pixels wide and high.`,
    );
}
