import type { Server } from 'node:http';
import supertest, { type Test as SupertestRequest } from 'supertest';

/** Requests to the product, with the token of one person or none. */
export class TestClient {
  constructor(
    private readonly server: Server,
    readonly token?: string,
  ) {}

  get(path: string): SupertestRequest {
    return this.authorised(supertest(this.server).get(path));
  }

  post(path: string, body?: unknown): SupertestRequest {
    return this.withBody(supertest(this.server).post(path), body);
  }

  put(path: string, body?: unknown): SupertestRequest {
    return this.withBody(supertest(this.server).put(path), body);
  }

  patch(path: string, body?: unknown): SupertestRequest {
    return this.withBody(supertest(this.server).patch(path), body);
  }

  delete(path: string): SupertestRequest {
    return this.authorised(supertest(this.server).delete(path));
  }

  options(path: string): SupertestRequest {
    return this.authorised(supertest(this.server).options(path));
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
