import { SMTPServer } from 'smtp-server';
import { until } from './until.mjs';

export class Mailbox {
  #server;
  #mails = [];

  /** @param {(secret: string) => void} onSecret receives every mailed token and code. */
  constructor(onSecret) {
    this.#server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS', 'AUTH'],
      closeTimeout: 50,
      disableReverseLookup: true,
      onData: (stream, { envelope }, done) => {
        const chunks = [];
        stream.on('data', (chunk) => chunks.push(chunk));
        stream.on('end', () => {
          const mail = readMail(Buffer.concat(chunks).toString('latin1'));
          mail.links.forEach((link) => onSecret(new URL(link).searchParams.get('token') ?? ''));
          mail.codes.forEach(onSecret);
          this.#mails.push({ ...mail, to: envelope.rcptTo.map(({ address }) => address) });
          done();
        });
      },
    });
    this.#server.on('error', () => undefined);
  }

  async open() {
    await new Promise((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  get url() {
    return `smtp://127.0.0.1:${this.#server.server.address().port}`;
  }

  async mailTo(address, count = 1) {
    await until(() => this.#mailsTo(address).length >= count, `mail ${count} to ${address}`);
    return this.#mailsTo(address)[count - 1];
  }

  countTo(address) {
    return this.#mailsTo(address).length;
  }

  #mailsTo(address) {
    return this.#mails.filter(({ to }) => to.includes(address));
  }

  close() {
    return new Promise((resolve) => this.#server.close(resolve));
  }
}

function readMail(raw) {
  const boundary = /boundary="?([^";\r\n]+)"?/i.exec(raw)?.[1];
  const parts = boundary === undefined ? [raw] : raw.split(`--${boundary}`).slice(1);
  const part = parts.find((text) => /content-type: text\/plain/i.test(text)) ?? raw;
  const end = part.indexOf('\r\n\r\n');
  const encoding = /content-transfer-encoding: *(\S+)/i.exec(part.slice(0, end))?.[1]?.toLowerCase();
  const text = decode(part.slice(end + 4), encoding);
  return {
    text,
    // Without trailing punctuation, as mail programs recognise links.
    links: text.match(/https?:\/\/\S*[^\s.,;:!?)]/g) ?? [],
    codes: [...text.matchAll(/^\s*(\d{4,12})\s*$/gm)].map(([, code]) => code),
  };
}

function decode(body, encoding) {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8');
  if (encoding !== 'quoted-printable') return Buffer.from(body, 'latin1').toString('utf8');
  const bytes = body
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/gi, (_all, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
