import { connect, type Socket } from 'node:net';
import { EmbeddedPostgresError, errnoOf } from './embedded-postgres.errors.js';
import { messageReader, type LeaseGreeting, type LeaseMessage } from './lease-messages.js';

/** Longer than all waits of a supervisor, so only one that hangs exceeds it. */
const READY_TIMEOUT_MS = 180_000;

/** Client side of a lease. The lease lasts while the connection is open, and does not keep the process alive. */
export class LeaseConnection {
  private latest: LeaseMessage | null | undefined;
  private listener: (message: LeaseMessage | null) => void = () => undefined;

  private constructor(private readonly socket: Socket) {
    socket.setEncoding('utf8');
    socket.on(
      'data',
      messageReader((message) => this.receive(message)),
    );
    socket.on('error', () => socket.destroy());
    socket.once('close', () => this.receive(null));
  }

  /**
   * Connects to the supervisor at this address; null if none listens.
   *
   * @throws the system error if this user may not connect
   */
  static open(address: string): Promise<LeaseConnection | null> {
    return new Promise((resolve, reject) => {
      const socket = connect(address);
      socket.once('connect', () => {
        socket.removeAllListeners('error');
        resolve(new LeaseConnection(socket));
      });
      socket.once('error', (error) => {
        if (errnoOf(error) === 'EACCES' || errnoOf(error) === 'EPERM') reject(error);
        else resolve(null);
      });
    });
  }

  /**
   * Waits until PostgreSQL accepts connections; null if the supervisor disappears before.
   *
   * @throws EmbeddedPostgresError the reason why it did not start
   */
  ready(): Promise<Extract<LeaseMessage, { state: 'ready' }> | null> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(new EmbeddedPostgresError('start_failed', 'the supervisor of the embedded PostgreSQL does not answer'));
        this.close();
      }, READY_TIMEOUT_MS);
      this.listen((message) => {
        if (message?.state === 'starting') return void timer.refresh();
        clearTimeout(timer);
        if (message?.state === 'failed') reject(new EmbeddedPostgresError(message.code, message.message));
        else resolve(message);
      });
    });
  }

  /** Returns whether no other lease exists, so that the server is about to stop. False for a server that is not available. */
  isOnlyOne(): Promise<boolean> {
    return new Promise((resolve) =>
      this.listen((message: LeaseGreeting | null) => resolve(message?.state !== 'failed' && message?.others === 0)),
    );
  }

  /** Replaces the listener. It receives the latest message and all later ones; null is the end of the lease. */
  listen(listener: (message: LeaseMessage | null) => void): void {
    this.listener = listener;
    if (this.latest !== undefined) listener(this.latest);
  }

  unref(): void {
    this.socket.unref();
  }

  close(): void {
    this.listener = () => undefined;
    this.socket.destroy();
  }

  private receive(message: LeaseMessage | null): void {
    this.latest = message;
    this.listener(message);
  }
}
