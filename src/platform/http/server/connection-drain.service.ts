import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate, setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';

/** The listener closes when no connection has arrived for this time. The operating system would reset connections that are still queued. */
const QUIET_MS = 50;
/** @internal */
const MAX_WAIT_MS = 2_000;

/**
 * Stops the HTTP server without losing requests. It reports the stop, closes the listener, and closes each connection after its last
 * response. Node and Fastify alone wait for idle connections: kept-alive ones, and those that a browser opened in advance.
 */
@Injectable()
export class ConnectionDrain {
  private fastify: FastifyInstance | undefined;
  private readonly requests = new Map<Socket, number>();
  private accepted = 0;
  private isClosing = false;
  private stopping = false;
  private listenerClosed: () => void = () => undefined;

  get isStopping(): boolean {
    return this.stopping;
  }

  watch(fastify: FastifyInstance): void {
    this.fastify = fastify;
    const { requests } = this;
    fastify.server.on('connection', (socket: Socket) => {
      this.accepted += 1;
      requests.set(socket, 0);
      socket.once('close', () => requests.delete(socket));
    });
    fastify.server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
      requests.set(socket, (requests.get(socket) ?? 0) + 1);
      response.once('close', () => {
        const open = requests.get(socket);
        if (open === undefined) return;
        requests.set(socket, open - 1);
        if (this.isClosing) this.closeIfIdle(socket);
      });
    });
    fastify.addHook('preClose', async () => {
      if (requests.size > 0) await this.quiet();
      this.isClosing = true;
      for (const socket of requests.keys()) this.closeIfIdle(socket);
      // Fastify closes the listener right after this hook.
      void setImmediate().then(() => this.listenerClosed());
    });
  }

  /** Closes the listener. Requests in flight continue; `close()` of the application waits for them. */
  async stop(): Promise<void> {
    this.stopping = true;
    if (this.fastify?.server.listening !== true) return;
    const closed = new Promise<void>((resolve) => (this.listenerClosed = resolve));
    // The adapter calls it again and waits for its end.
    void this.fastify.close().then(undefined, () => undefined);
    await closed;
  }

  private closeIfIdle(socket: Socket): void {
    if (this.requests.get(socket) === 0) socket.destroySoon();
  }

  private async quiet(): Promise<void> {
    const deadline = performance.now() + MAX_WAIT_MS;
    for (let seen = -1; seen !== this.accepted && performance.now() < deadline;) {
      seen = this.accepted;
      await delay(QUIET_MS);
    }
  }
}
