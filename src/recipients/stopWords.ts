/** The words that carriers agree on. YES is not START: people answer “yes” to many things, and that must lift no stop. */
const COMMANDS = {
  stop: /^(?:STOP|STOP ?ALL|UNSUBSCRIBE|CANCEL|END|QUIT|REVOKE|OPT ?OUT)$/,
  start: /^(?:START|UNSTOP)$/,
  help: /^(?:HELP|INFO)$/,
};

/** Longer than any command with the punctuation around it. It also bounds the cost of the patterns below. */
const COMMAND_LENGTH_MAX = 40;

/** Punctuation, symbols, and the invisible marks that come with emoji and with pasted text. */
const AROUND = /^[\s\p{P}\p{S}\p{Cf}\p{M}]+|[\s\p{P}\p{S}\p{Cf}\p{M}]+$/gu;

/**
 * The command in a text or WhatsApp reply that consists of nothing else: "stop", " Stop. ", "“STOP”", "opt-out".
 * Null for everything else: "please stop by the shop" is a message, not an opt-out.
 */
export function inboundCommand(text: string): keyof typeof COMMANDS | null {
  const trimmed = text.trim();
  if (trimmed.length > COMMAND_LENGTH_MAX) return null;
  const words = trimmed
    .normalize('NFKC')
    .replace(AROUND, '')
    .replace(/[\s\p{Pd}]+/gu, ' ');
  const is = (command: RegExp): boolean => command.test(words.toUpperCase());
  if (is(COMMANDS.stop)) return 'stop';
  return is(COMMANDS.start) ? 'start' : is(COMMANDS.help) ? 'help' : null;
}
