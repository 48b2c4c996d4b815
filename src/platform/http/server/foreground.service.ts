import { setImmediate, setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';

/** For how long after a request more of them are to be expected, in ms. */
const IN_USE_MS = 1_000;
/** Multiple of the time that it has worked for which work rests then: others have three fourths of the one thread. */
const REST = 3;
/** And for how long at most, in ms: a step that has waited for somebody else has not worked. @internal */
const MOST_REST_MS = 25;

/** Called by long work between two of its steps. */
export type Pace = () => Promise<void>;

/** Options of the requests of a route, beside those that others wait for. */
interface RouteOptions {
  readonly unhurried?: boolean;
  readonly acceptsStream?: boolean;
}

/** Knows whether anybody waits for answers of this process, so that long work in its background leaves them the most of its one thread. */
@Injectable()
export class Foreground {
  private askedAt = Number.NEGATIVE_INFINITY;

  /** Watches a server; to be called before its routes are made. */
  watch(fastify: FastifyInstance): void {
    fastify.addHook('onRequest', ({ routeOptions }, _reply, done) => {
      const { unhurried = false, acceptsStream = false } = routeOptions.config as RouteOptions;
      if (!unhurried && !acceptsStream) this.askedAt = performance.now();
      done();
    });
  }

  /** Whether more requests are to be expected now. */
  get isInUse(): boolean {
    return performance.now() - this.askedAt < IN_USE_MS;
  }

  /**
   * Returns what work calls after each of its steps: it lets in what has come meanwhile. While the service is in use it rests three times
   * as long as the step took; otherwise it goes on at once.
   */
  pace(): Pace {
    let since = performance.now();
    return async () => {
      const worked = performance.now() - since;
      // Between two turns the loop looks for what has come.
      for (let turn = 0; turn < 2; turn += 1) await setImmediate();
      if (this.isInUse) await delay(Math.min(worked * REST, MOST_REST_MS));
      since = performance.now();
    };
  }
}
