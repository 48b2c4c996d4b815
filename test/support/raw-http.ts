import { connect, type Socket } from 'node:net';

/** A response as it arrived. */
export interface RawResponse {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A connection on which a test writes bytes and reads responses, without a client that corrects or retries anything. */
export class RawConnection {
  private received = Buffer.alloc(0);
  private isOver = false;
  /** Code of the error that ended the connection; null if there was none. */
  error: string | null = null;
  private wake: () => void = () => undefined;

  private constructor(private readonly socket: Socket) {
    socket.on('data', (part: Buffer) => {
      this.received = Buffer.concat([this.received, part]);
      this.wake();
    });
    socket.on('error', (error: NodeJS.ErrnoException) => (this.error = error.code ?? error.message));
    for (const event of ['end', 'close'])
      socket.on(event, () => {
        this.isOver = true;
        this.wake();
      });
  }

  static open(url: string): Promise<RawConnection> {
    const { port } = new URL(url);
    return new Promise((resolve, reject) => {
      const socket = connect(Number(port), '127.0.0.1', () => resolve(new RawConnection(socket)));
      socket.once('error', reject);
    });
  }

  /** Writes bytes; the kernel may still have them. */
  send(...parts: readonly (string | Buffer)[]): this {
    for (const part of parts) if (!this.socket.destroyed) this.socket.write(part);
    return this;
  }

  /** Reads the next response; null if the connection ends before it is complete. */
  async next(): Promise<RawResponse | null> {
    for (;;) {
      const response = this.take();
      if (response !== null || this.isOver) return response;
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }

  close(): void {
    this.socket.destroy();
  }

  private take(): RawResponse | null {
    const end = this.received.indexOf('\r\n\r\n');
    if (end === -1) return null;
    const [first = '', ...lines] = this.received.subarray(0, end).toString('latin1').split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    );
    const from = end + 4;
    const to = from + Number(headers['content-length'] ?? 0);
    if (this.received.length < to) return null;
    const body = this.received.subarray(from, to).toString();
    this.received = this.received.subarray(to);
    const status = Number(first.split(' ')[1]);
    // An interim response such as 100 comes before the response.
    return status < 200 ? this.take() : { status, headers, body };
  }
}

/** Sends one request and returns its response; null if the connection ends before it. */
export async function rawRequest(url: string, ...parts: readonly (string | Buffer)[]): Promise<RawResponse | null> {
  const connection = await RawConnection.open(url);
  try {
    return await connection.send(...parts).next();
  } finally {
    connection.close();
  }
}

/** Returns the head of a request, with `Host` unless the headers have one. */
export function requestHead(line: string, headers: Readonly<Record<string, string | number>> = {}): string {
  const named = { ...('Host' in headers ? {} : { Host: 'localhost' }), ...headers };
  const lines = Object.entries(named).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${line} HTTP/1.1\r\n${lines.join('')}\r\n`;
}
