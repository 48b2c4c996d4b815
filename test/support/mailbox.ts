import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { SMTPServer, type SMTPServerDataStream } from 'smtp-server';
import { JobWorker } from '../../src/platform/jobs/job-worker.service.js';
import { type ReadableMail, readMail } from '../../src/testing/read-mail.js';
import { TestApp, type TestAppOptions } from './test-app.js';

export interface ReceivedMail extends ReadableMail {
  readonly to: readonly string[];
  readonly from: string;
}

/**
 * How the server treats a mail. Notable:
 * - `refuse-recipient` and `defer-recipient` name the recipient in the response (permanent or temporary error).
 * - `refuse-message` quotes the message, as spam filters do.
 * - `hang` never answers RCPT.
 * - `take-silently` stores the message, but never confirms it.
 */
export type MailboxBehaviour =
  | 'accept'
  | 'refuse-recipient'
  | 'defer-recipient'
  | 'refuse-message'
  | 'hang'
  | 'take-silently';

const PATIENCE_MS = 60_000;
/** Maximum wait for mails that another worker has claimed, in milliseconds. Some test servers never answer. */
const TAKEN_MS = 5_000;
const TAKEN = `SELECT 1 FROM background_jobs WHERE kind LIKE 'mail.%' AND state = 'due' AND claim_id IS NOT NULL LIMIT 1`;

export class Mailbox {
  /** Accepted mails, in order. */
  readonly received: ReceivedMail[] = [];
  /** Recipients of all delivery attempts, in order, successful or not. */
  readonly attempts: string[] = [];
  private behaviour: (address: string) => MailboxBehaviour = () => 'accept';
  private readonly server: SMTPServer;

  private constructor(secure: boolean) {
    this.server = new SMTPServer({
      secure,
      authOptional: true,
      disabledCommands: secure ? [] : ['STARTTLS'],
      allowInsecureAuth: true,
      closeTimeout: 50,
      disableReverseLookup: true,
      onAuth: ({ username, password }, _session, callback) => {
        const isValid = username === 'service' && password === 'p@ss/word';
        callback(isValid ? null : new Error('who are you'), isValid ? { user: username } : undefined);
      },
      onRcptTo: ({ address }, _session, callback) => {
        this.attempts.push(address);
        const behaviour = this.behaviour(address);
        if (behaviour === 'hang') return;
        if (behaviour === 'refuse-recipient') callback(refusal(550, `5.1.1 <${address}> no such user`));
        else if (behaviour === 'defer-recipient') callback(refusal(451, `4.7.1 <${address}> come back later`));
        else callback();
      },
      onData: (stream, { envelope }, callback) => {
        const to = envelope.rcptTo.map(({ address }) => address);
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
        void readAll(stream).then((message) => {
          const mail = { ...readMail(message), to, from };
          const behaviour = this.behaviour(to[0] ?? '');
          if (behaviour === 'refuse-message') {
            callback(refusal(554, `5.7.1 blocked because of ${[...mail.links, ...mail.codes].join(' ')}`));
            return;
          }
          this.received.push(mail);
          if (behaviour !== 'take-silently') callback();
        });
      },
    });
    this.server.on('error', () => undefined);
  }

  /** Opens a server. `secure` uses TLS from the start, with an untrusted certificate. */
  static async open({ secure = false, port = 0 } = {}): Promise<Mailbox> {
    const mailbox = new Mailbox(secure);
    await new Promise<void>((resolve) => mailbox.server.listen(port, '127.0.0.1', resolve));
    return mailbox;
  }

  get port(): number {
    return (this.server.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `smtp://127.0.0.1:${this.port}`;
  }

  behave(behaviour: MailboxBehaviour | ((address: string) => MailboxBehaviour)): void {
    this.behaviour = typeof behaviour === 'string' ? () => behaviour : behaviour;
  }

  mailsTo(address: string): ReceivedMail[] {
    return this.received.filter(({ to }) => to.includes(address));
  }

  /**
   * Waits for `count` mails to an address and returns the one that was queued last. Mails are sent concurrently, so the arrival order
   * differs.
   */
  async waitFor(address: string, count = 1): Promise<ReceivedMail> {
    const what = `${count} mail(s) to ${address}; there are ${this.received.map(({ to }) => to.join()).join('; ')}`;
    await until(() => this.mailsTo(address).length >= count, what);
    return this.mailsTo(address)
      .sort((a, b) => idOf(a).localeCompare(idOf(b)))
      .at(-1)!;
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }
}

/** Returns the message id. Ids increase with the time when the mail was queued. */
function idOf({ headers }: ReceivedMail): string {
  return headers['message-id'] ?? '';
}

export interface MailedApp {
  readonly app: TestApp;
  readonly mailbox: Mailbox;
  /** Sends due mails and returns the newest one to an address. */
  mailTo(address: string): Promise<ReceivedMail>;
}

/** Returns one application and one mailbox for a whole test file. `MAIL_URL` points to the mailbox. */
export function useMailedApp(options: TestAppOptions = {}): MailedApp {
  const holder = {
    app: undefined as never as TestApp,
    mailbox: undefined as never as Mailbox,
    async mailTo(address: string): Promise<ReceivedMail> {
      await holder.app.get(JobWorker).drain();
      // Another instance may have claimed some of the mails.
      const end = performance.now() + TAKEN_MS;
      while (performance.now() < end && (await holder.app.sql(TAKEN)).length > 0) {
        await delay(20);
        await holder.app.get(JobWorker).drain();
      }
      return holder.mailbox.waitFor(address);
    },
  };
  beforeAll(async () => {
    holder.mailbox = await Mailbox.open();
    holder.app = await TestApp.start({ ...options, env: { MAIL_URL: holder.mailbox.url, ...options.env } });
  });
  afterEach(() => holder.mailbox.behave('accept'));
  afterAll(async () => {
    await holder.app?.stop();
    await holder.mailbox?.close();
  });
  return holder;
}

/** Waits until a condition is true. Fails with `what` after the limit. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  what: string,
  limitMs = PATIENCE_MS,
): Promise<void> {
  const end = performance.now() + limitMs;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`Waited in vain for ${what}`);
    await delay(10);
  }
}

function refusal(responseCode: number, text: string): Error {
  return Object.assign(new Error(text), { responseCode });
}

async function readAll(stream: SMTPServerDataStream): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
