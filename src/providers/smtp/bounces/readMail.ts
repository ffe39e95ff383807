import PostalMime, { type Attachment, type Email } from 'postal-mime';

/** A mail that came back: what the rules read of it. */
export interface ReturnedMail {
  /** The first value, or an empty text. */
  header(name: string): string;
  /** What a person reads, without the mail it quotes. */
  text: string;
  /** The parts of a delivery report (RFC 3464): one group of fields for each recipient. */
  recipients: Fields[];
  /** The fields of a complaint (RFC 5965). */
  feedback: Fields | null;
}

export type Fields = ReadonlyMap<string, string>;

/** The beginning decides: reports come first, and the mail that they quote is ours. */
export const MAIL_BYTES_MAX = 1024 * 1024;
const HEADER_BYTES_MAX = 128 * 1024;
const DEPTH_MAX = 20;
/** A part costs the parser more than its bytes, and so does a line: a mebibyte of empty ones took 24 seconds. */
const PART_LINES_MAX = 500;
const LINES_MAX = 20_000;
const TEXT_CHARACTERS_MAX = 32 * 1024;
const FIELDS_MAX = 200;

/** Some programs name only the address that we gave. */
const RECIPIENT = ['final-recipient', 'original-recipient'];

/** Null: it cannot be read. */
export async function readMail(raw: Buffer): Promise<ReturnedMail | null> {
  const mail = beginningOf(raw);
  if (countDelimiters(mail) > PART_LINES_MAX) return null;
  try {
    return returnedMail(
      mail,
      await PostalMime.parse(mail, {
        forceRfc822Attachments: true,
        maxNestingDepth: DEPTH_MAX,
        maxHeadersSize: HEADER_BYTES_MAX,
      }),
    );
  } catch {
    return null;
  }
}

function beginningOf(raw: Buffer): Buffer {
  const mail = raw.subarray(0, MAIL_BYTES_MAX);
  let end = -1;
  for (let lines = 0; lines < LINES_MAX; lines += 1) {
    end = mail.indexOf('\n', end + 1);
    if (end === -1) return mail;
  }
  return mail.subarray(0, end);
}

/** Lines that can begin or end a part. */
function countDelimiters(mail: Buffer): number {
  let count = 0;
  for (let at = mail.indexOf('\n--'); at !== -1 && count <= PART_LINES_MAX; at = mail.indexOf('\n--', at + 3))
    count += 1;
  return count;
}

function returnedMail(raw: Buffer, mail: Email): ReturnedMail {
  const parts = (type: string) => mail.attachments.filter(({ mimeType }) => mimeType === type).map(textOf);
  const text = readableText(raw, mail);
  const statuses = parts('message/delivery-status');
  const [feedback = null] = parts('message/feedback-report').flatMap(groupsIn);
  return {
    header: (name) => mail.headers.find(({ key }) => key === name)?.value ?? '',
    text,
    // Where a relay has broken the parts, the fields are in the text.
    recipients: (statuses.length > 0 ? statuses : [text])
      .flatMap(groupsIn)
      .filter((fields) => fields.has('action') && RECIPIENT.some((name) => fields.has(name))),
    feedback,
  };
}

function readableText(raw: Buffer, { text, html }: Email): string {
  const found = text?.trim() || html?.trim() || bodyOf(raw.toString());
  // A person who forwards a bounce quotes it.
  return withoutQuotedMail(found.slice(0, TEXT_CHARACTERS_MAX).replace(/^> /gm, ''));
}

const bodyOf = (mail: string): string => mail.slice(mail.search(/\n\r?\n/));

const textOf = ({ content }: Attachment): string =>
  (typeof content === 'string' ? content : new TextDecoder().decode(content)).slice(0, TEXT_CHARACTERS_MAX);

/** Groups of fields, divided by empty lines. A line that begins with white space continues the field before it. */
function groupsIn(text: string): Fields[] {
  const groups: Map<string, string>[] = [new Map()];
  let last = '';
  for (const line of text.split(/\r?\n/).slice(0, FIELDS_MAX)) {
    const group = groups.at(-1) ?? new Map<string, string>();
    const colon = line.indexOf(':');
    if (line.trim() === '') groups.push(new Map());
    else if (/^\s/.test(line)) group.set(last, `${group.get(last) ?? ''} ${line.trim()}`);
    else if (colon > 0) {
      last = line.slice(0, colon).trim().toLowerCase();
      const value = line.slice(colon + 1).trim();
      // Some relays leave no empty line between two recipients.
      if (last === 'final-recipient' && group.has(last)) groups.push(new Map([[last, value]]));
      else if (!group.has(last)) group.set(last, value);
    }
  }
  return groups.filter(({ size }) => size > 0);
}

/** Where programs that write a bounce as plain text begin to quote the mail. */
const QUOTE =
  /^(?:-{2,} ?(?:below this line|this is a copy|original (?:message|mail)|returned message|(?:the )?(?:unsent|undelivered) message|message header|the header)|received: from |return-path: ?<)/im;

function withoutQuotedMail(text: string): string {
  const at = text.search(QUOTE);
  return at === -1 ? text : text.slice(0, at);
}
