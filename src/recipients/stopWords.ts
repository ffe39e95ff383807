type InboundCommand = 'stop' | 'start' | 'help';

/**
 * The words that carriers agree on. YES does not mean START: people answer "yes" to many things, and that must not lift
 * a stop by accident.
 */
const COMMANDS: ReadonlyMap<string, InboundCommand> = new Map<string, InboundCommand>([
  ['STOP', 'stop'],
  ['STOPALL', 'stop'],
  ['STOP ALL', 'stop'],
  ['UNSUBSCRIBE', 'stop'],
  ['CANCEL', 'stop'],
  ['END', 'stop'],
  ['QUIT', 'stop'],
  ['REVOKE', 'stop'],
  ['OPTOUT', 'stop'],
  ['OPT OUT', 'stop'],
  ['START', 'start'],
  ['UNSTOP', 'start'],
  ['HELP', 'help'],
  ['INFO', 'help'],
]);

/** Longer than any command with the punctuation around it. It also bounds the cost of the patterns below. */
const COMMAND_LENGTH_MAX = 40;

/** Punctuation, symbols, and the invisible marks that come with emoji and with pasted text. */
const AROUND = /^[\s\p{P}\p{S}\p{Cf}\p{M}]+|[\s\p{P}\p{S}\p{Cf}\p{M}]+$/gu;

/**
 * The command in a text or WhatsApp reply that consists of nothing else: "stop", " Stop. ", "“STOP”", "opt-out".
 * Null for everything else: "please stop by the shop" is a message, not an opt-out.
 */
export function inboundCommand(text: string): InboundCommand | null {
  const trimmed = text.trim();
  if (trimmed.length > COMMAND_LENGTH_MAX) return null;
  const words = trimmed
    .normalize('NFKC')
    .replace(AROUND, '')
    .replace(/[\s\p{Pd}]+/gu, ' ');
  return COMMANDS.get(words.toUpperCase()) ?? null;
}
