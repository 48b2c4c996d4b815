import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Passes requests through, or answers them in the test. */
export type IssuerBehaviour = 'pass' | ((request: IncomingMessage, response: ServerResponse) => void);

/** A proxy between a guarded service and its Lintel that counts requests and can replace responses. */
export class IssuerProxy {
  behaviour: IssuerBehaviour = 'pass';
  /** Requests so far, such as `POST /api/auth/introspect`. */
  readonly seen: string[] = [];
  private server: Server;

  private constructor(public target: string) {
    this.server = createServer((incoming, outgoing) => this.take(incoming, outgoing));
  }

  static async open(target: string): Promise<IssuerProxy> {
    const proxy = new IssuerProxy(target);
    await proxy.listen(0);
    return proxy;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get introspections(): number {
    return this.seen.filter((line) => line === 'POST /api/auth/introspect').length;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  private listen(port: number): Promise<void> {
    return new Promise((resolve) => this.server.listen(port, '127.0.0.1', resolve));
  }

  private take(incoming: IncomingMessage, outgoing: ServerResponse): void {
    this.seen.push(`${incoming.method} ${incoming.url}`);
    if (this.behaviour !== 'pass') return this.behaviour(incoming, outgoing);
    const onward = request(
      `${this.target}${incoming.url}`,
      { method: incoming.method, headers: incoming.headers },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      },
    );
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
  }
}
