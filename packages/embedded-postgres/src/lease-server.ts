import { rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import type { LeaseGreeting, LeaseMessage } from './lease-messages.js';

/**
 * The supervisor's end of the leases: whoever is connected holds one. The system closes the connection of a process that
 * dies, so that no lease outlives its holder.
 */
export class LeaseServer {
  private readonly server: Server;
  private readonly holders = new Set<Socket>();
  private current: LeaseMessage = { state: 'starting' };
  private idleTimer: NodeJS.Timeout | undefined;
  private wasJoined = false;
  private onIdle: (() => void) | undefined;

  /** @param graceMs how long nobody must hold a lease before the server counts as idle */
  constructor(private graceMs: number) {
    this.server = createServer((socket) => this.admit(socket));
  }

  /** Listens on the socket. Only the holder of the start lock may: a socket file that is still there belongs to a dead process. */
  async listen(address: string): Promise<void> {
    if (process.platform !== 'win32') rmSync(address, { force: true });
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(address, resolve);
    });
  }

  get isIdle(): boolean {
    return this.holders.size === 0;
  }

  /** Tells all holders, and all that come later, how things stand. */
  announce(message: LeaseMessage): void {
    this.current = message;
    for (const holder of this.holders) write(holder, message);
  }

  /** Resolves when nobody has held a lease for the grace time. Waiting again replaces the earlier wait. */
  untilIdle(): Promise<void> {
    return new Promise((resolve) => {
      this.onIdle = resolve;
      this.watchIdle();
    });
  }

  /** Resolves when somebody has held a lease, and so has heard what was announced, or after this time. */
  waitForAck(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      if (this.wasJoined) return resolve();
      setTimeout(resolve, timeoutMs);
      this.server.once('connection', () => resolve());
    });
  }

  /** Checks at once, and gives no grace time from now on. */
  checkNow(): void {
    this.graceMs = 0;
    this.watchIdle();
  }

  /** Closes every lease after what was announced has been sent. */
  async close(): Promise<void> {
    clearTimeout(this.idleTimer);
    const closed = new Promise((resolve) => this.server.close(resolve));
    for (const holder of this.holders) holder.end();
    await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, 1000))]);
  }

  private admit(socket: Socket): void {
    this.wasJoined = true;
    this.holders.add(socket);
    clearTimeout(this.idleTimer);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => {
      this.holders.delete(socket);
      this.watchIdle();
    });
    // Holders say nothing; reading is what notices that they have gone.
    socket.resume();
    write(socket, { ...this.current, others: this.holders.size - 1 });
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
