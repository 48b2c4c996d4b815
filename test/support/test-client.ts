import { Agent, type Server } from 'node:http';
import supertest, { type Test as SupertestRequest } from 'supertest';

/** Keep-alive connections, as with browsers and proxies. The server closes them when it stops. */
const CONNECTIONS = new Agent({ keepAlive: true });

/**
 * Reports the location of a failed expectation. Supertest formats a stack for every expectation, which resolves source maps. This class
 * formats it only for failures.
 */
class PlacedRequest extends supertest.Test {
  private place: Error | undefined;

  override expect(...expectation: never[]): this {
    this.place = new Error();
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    try {
      return super.expect(...(expectation as [never]));
    } finally {
      Error.stackTraceLimit = stackTraceLimit;
    }
  }

  override end(callback?: Parameters<SupertestRequest['end']>[0]): this {
    return super.end((error: unknown, response) => {
      const [, , ...frames] = this.place?.stack?.split('\n') ?? [];
      if (error instanceof Error && frames.length > 0) error.stack = [String(error), ...frames].join('\n');
      callback?.(error, response);
    });
  }
}

export class TestClient {
  constructor(
    private readonly server: Server,
    readonly token?: string,
  ) {}

  get(path: string): SupertestRequest {
    return this.authorised(this.to('get', path));
  }

  post(path: string, body?: unknown): SupertestRequest {
    return this.withBody(this.to('post', path), body);
  }

  put(path: string, body?: unknown): SupertestRequest {
    return this.withBody(this.to('put', path), body);
  }

  patch(path: string, body?: unknown): SupertestRequest {
    return this.withBody(this.to('patch', path), body);
  }

  delete(path: string): SupertestRequest {
    return this.authorised(this.to('delete', path));
  }

  options(path: string): SupertestRequest {
    return this.authorised(this.to('options', path));
  }

  private to(method: 'get' | 'post' | 'put' | 'patch' | 'delete' | 'options', path: string): SupertestRequest {
    return new PlacedRequest(this.server, method.toUpperCase(), path).agent(CONNECTIONS);
  }

  private withBody(request: SupertestRequest, body: unknown): SupertestRequest {
    const authorised = this.authorised(request);
    return body === undefined
      ? authorised
      : authorised.set('content-type', 'application/json').send(JSON.stringify(body));
  }

  private authorised(request: SupertestRequest): SupertestRequest {
    return this.token === undefined ? request : request.set('authorization', `Bearer ${this.token}`);
  }
}
