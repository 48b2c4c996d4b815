export interface ReadableMail {
  /** Headers by lower-case name, unfolded and decoded (RFC 2047). Of repeated headers only the first is included. */
  readonly headers: Readonly<Record<string, string>>;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly links: readonly string[];
  /** Codes in the text part: lines of four to twelve digits. */
  readonly codes: readonly string[];
  readonly raw: string;
}

/** Parses a message (RFC 5322, RFC 2045 to 2047), and finds its text and HTML parts at any depth. */
export function readMail(message: Buffer): ReadableMail {
  const raw = message.toString('latin1');
  const { headers, body } = splitMessage(raw);
  const parts = leaves(headers, body);
  const partOf = (type: string): string =>
    parts.find((part) => (part.headers['content-type'] ?? 'text/plain').startsWith(type))?.content ?? '';
  const text = partOf('text/plain');
  return {
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, decodeEncodedWords(value)])),
    subject: decodeEncodedWords(headers['subject'] ?? ''),
    text,
    html: partOf('text/html'),
    links: text.match(/https?:\/\/\S+/g) ?? [],
    codes: [...text.matchAll(/^\s*(\d{4,12})\s*$/gm)].map(([, code = '']) => code),
    raw,
  };
}

type Headers = Record<string, string>;

function splitMessage(raw: string): { headers: Headers; body: string } {
  const end = raw.indexOf('\r\n\r\n');
  const lines = raw
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers: Headers = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    headers[line.slice(0, colon).toLowerCase()] ??= line.slice(colon + 1).trim();
  }
  return { headers, body: raw.slice(end + 4) };
}

function leaves(headers: Headers, body: string): { headers: Headers; content: string }[] {
  const boundary = /boundary="?([^";]+)"?/i.exec(headers['content-type'] ?? '')?.[1];
  if (boundary === undefined) return [{ headers, content: decodeBody(headers, body) }];
  return body
    .split(`--${boundary}`)
    .slice(1, -1)
    .flatMap((part) => {
      const inner = splitMessage(part.replace(/^\r\n/, '').replace(/\r\n$/, ''));
      return leaves(inner.headers, inner.body);
    });
}

function decodeBody(headers: Headers, body: string): string {
  const encoding = (headers['content-transfer-encoding'] ?? '7bit').toLowerCase();
  const bytes =
    encoding === 'base64'
      ? Buffer.from(body, 'base64')
      : Buffer.from(encoding === 'quoted-printable' ? decodeQuoted(body) : body, 'latin1');
  return bytes.toString('utf8').replace(/\r\n/g, '\n');
}

function decodeQuoted(text: string): string {
  return text
    .replace(/[ \t]*=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/gi, (_match, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

function decodeEncodedWords(text: string): string {
  return text
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?[^?]+\?([QB])\?([^?]*)\?=/gi, (_match, kind: string, word: string) => {
      const bytes = kind.toUpperCase() === 'B' ? Buffer.from(word, 'base64').toString('latin1') : decodeQuoted(word);
      return Buffer.from(bytes.replaceAll(kind.toUpperCase() === 'B' ? '\u0000' : '_', ' '), 'latin1').toString('utf8');
    });
}
