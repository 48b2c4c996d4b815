import { rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import type { LeaseGreeting, LeaseMessage } from './lease-messages.js';

/** Supervisor side of the leases. Each connection is a lease, and the operating system closes those of dead processes. */
export class LeaseServer {
  private readonly server: Server;
  private readonly clients = new Set<Socket>();
  private current: LeaseMessage = { state: 'starting' };
  private idleTimer: NodeJS.Timeout | undefined;
  private wasJoined = false;
  private onIdle: (() => void) | undefined;

  /** @param graceMs time without leases after which the server counts as idle */
  constructor(private graceMs: number) {
    this.server = createServer((socket) => this.admit(socket));
  }

  /** Listens on the socket. Only the owner of the start lock may do so: an existing socket file belongs to a dead process. */
  async listen(address: string): Promise<void> {
    if (process.platform !== 'win32') rmSync(address, { force: true });
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(address, resolve);
    });
  }

  get isIdle(): boolean {
    return this.clients.size === 0;
  }

  announce(message: LeaseMessage): void {
    this.current = message;
    for (const client of this.clients) write(client, message);
  }

  /** Resolves when there was no lease for the grace time. A new call replaces the earlier one. */
  untilIdle(): Promise<void> {
    return new Promise((resolve) => {
      this.onIdle = resolve;
      this.watchIdle();
    });
  }

  /** Resolves when a client has connected, and so has received the announced state, or after this time. */
  waitForAck(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      if (this.wasJoined) return resolve();
      setTimeout(resolve, timeoutMs);
      this.server.once('connection', () => resolve());
    });
  }

  checkNow(): void {
    this.graceMs = 0;
    this.watchIdle();
  }

  /** Closes all leases after the announced state was sent. */
  async close(): Promise<void> {
    clearTimeout(this.idleTimer);
    const closed = new Promise((resolve) => this.server.close(resolve));
    for (const client of this.clients) client.end();
    await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, 1000))]);
  }

  private admit(socket: Socket): void {
    this.wasJoined = true;
    this.clients.add(socket);
    clearTimeout(this.idleTimer);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => {
      this.clients.delete(socket);
      this.watchIdle();
    });
    // Clients send nothing. Reading is needed to notice that they have disconnected.
    socket.resume();
    write(socket, { ...this.current, others: this.clients.size - 1 });
  }

  private watchIdle(): void {
    clearTimeout(this.idleTimer);
    if (!this.isIdle) return;
    this.idleTimer = setTimeout(() => this.onIdle?.(), this.graceMs);
  }
}

function write(socket: Socket, message: LeaseGreeting): void {
  socket.write(`${JSON.stringify(message)}\n`);
}
