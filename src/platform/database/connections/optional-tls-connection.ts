import pg from 'pg';

/** Answer of a server that offers no TLS (PostgreSQL §55.2.10). */
const NO_TLS = 'N';

interface RawConnection {
  ssl: unknown;
  requestSsl(): void;
  attachListeners(stream: pg.Connection['stream']): void;
}

/** Requests TLS, and continues without it if the server offers none, as `sslmode=prefer` of libpq does. */
export class OptionalTlsConnection extends pg.Connection {
  /** Called before the startup message is sent without TLS. */
  onPlain: () => void = () => undefined;

  /** Called by the driver, which treats an answer without TLS as an error. */
  requestSsl(): void {
    const { stream } = this;
    const raw = this as unknown as RawConnection;
    const listeners = stream.rawListeners('data') as ((answer: Buffer) => void)[];
    stream.removeAllListeners('data');
    stream.once('data', (answer: Buffer) => {
      if (answer.toString('latin1') !== NO_TLS) {
        for (const listener of listeners) listener.call(stream, answer);
        return;
      }
      raw.ssl = false;
      raw.attachListeners(stream);
      this.onPlain();
      this.emit('connect');
    });
    (pg.Connection.prototype as unknown as RawConnection).requestSsl.call(this);
  }
}
