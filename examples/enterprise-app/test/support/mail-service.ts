import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** A message in the format of Acme's mail service. */
export interface Message {
  readonly to: { readonly address: string };
  readonly subject: string;
  readonly html: string;
  readonly text: string;
}

/** Responses of the mail service to some addresses, instead of 202. */
const REFUSALS: Readonly<Record<string, number>> = { 'nobody@example.com': 422, 'later@example.com': 503 };

/** Acme's mail service, on loopback. It accepts every message once. */
export class MailService {
  private readonly messages = new Map<string, Message>();
  private readonly server: Server;

  private constructor() {
    this.server = createServer((request, response) => {
      void json(request).then((body) => {
        const message = body as Message;
        const refusal = REFUSALS[message.to.address];
        if (refusal === undefined) this.messages.set(String(request.headers['idempotency-key']), message);
        response.writeHead(refusal ?? 202).end();
      });
    });
  }

  static async start(): Promise<MailService> {
    const service = new MailService();
    await new Promise<void>((resolve) => service.server.listen(0, '127.0.0.1', resolve));
    return service;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Returns the messages to an address, the oldest first. */
  to(address: string): Message[] {
    return [...this.messages.values()].filter(({ to }) => to.address === address);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
