import { connect, type Socket } from 'node:net';

export interface RawResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A connection for raw bytes. No client corrects or retries anything. */
export class RawConnection {
  private received = Buffer.alloc(0);
  private isOver = false;
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

  /** Writes bytes. They may still be in the kernel afterwards. */
  send(...parts: readonly (string | Buffer)[]): this {
    for (const part of parts) if (!this.socket.destroyed) this.socket.write(part);
    return this;
  }

  /** Reads the next response; null if the connection ends first. */
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
    // An interim response such as 100 precedes the final response.
    return status < 200 ? this.take() : { status, headers, body };
  }
}

export async function rawRequest(url: string, ...parts: readonly (string | Buffer)[]): Promise<RawResponse | null> {
  const connection = await RawConnection.open(url);
  try {
    return await connection.send(...parts).next();
  } finally {
    connection.close();
  }
}

/** Returns a request head. `Host` is added unless the headers contain it. */
export function requestHead(line: string, headers: Readonly<Record<string, string | number>> = {}): string {
  const named = { ...('Host' in headers ? {} : { Host: 'localhost' }), ...headers };
  const lines = Object.entries(named).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${line} HTTP/1.1\r\n${lines.join('')}\r\n`;
}
