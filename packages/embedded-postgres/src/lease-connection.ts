import { connect, type Socket } from 'node:net';
import { EmbeddedPostgresError, errnoOf } from './embedded-postgres.errors.js';
import { messageReader, type LeaseGreeting, type LeaseMessage } from './lease-messages.js';

/** Only a supervisor that hangs says nothing for so long: its own waits are shorter. */
const READY_TIMEOUT_MS = 180_000;

/** A holder's end of a lease. It is held while the connection is open, and never keeps the process from ending. */
export class LeaseConnection {
  private latest: LeaseMessage | null | undefined;
  private listener: (message: LeaseMessage | null) => void = () => undefined;

  private constructor(private readonly socket: Socket) {
    socket.setEncoding('utf8');
    socket.on(
      'data',
      messageReader((message) => this.hear(message)),
    );
    socket.on('error', () => socket.destroy());
    socket.once('close', () => this.hear(null));
  }

  /**
   * Connects to the supervisor that listens there; null when none does.
   *
   * @throws the system's error when this user may not connect
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
   * Waits until PostgreSQL accepts connections; null when the supervisor went away before.
   *
   * @throws EmbeddedPostgresError what kept it from starting
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

  /** Answers whether nobody else holds a lease of a server that is for everybody: it is about to stop. */
  isOnlyOne(): Promise<boolean> {
    return new Promise((resolve) =>
      this.listen((message: LeaseGreeting | null) => resolve(message?.state !== 'failed' && message?.others === 0)),
    );
  }

  /** Tells this listener from now on, and no other, each message, the latest one first; null is the end of the lease. */
  listen(listener: (message: LeaseMessage | null) => void): void {
    this.listener = listener;
    if (this.latest !== undefined) listener(this.latest);
  }

  /** Lets the process end although the lease is held. */
  unref(): void {
    this.socket.unref();
  }

  close(): void {
    this.listener = () => undefined;
    this.socket.destroy();
  }

  private hear(message: LeaseMessage | null): void {
    this.latest = message;
    this.listener(message);
  }
}
