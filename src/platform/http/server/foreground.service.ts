import { setImmediate, setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';

const IN_USE_MS = 1_000;
/** Multiple of its working time for which background work pauses, so that requests get three quarters of the thread. */
const REST = 3;
/** Maximum pause in milliseconds: a step that waited for something did not use the thread. @internal */
const MOST_REST_MS = 25;

export type Pace = () => Promise<void>;

interface RouteOptions {
  readonly unhurried?: boolean;
  readonly acceptsStream?: boolean;
}

/** Detects whether clients wait for responses of this process, so that background work leaves them most of its thread. */
@Injectable()
export class Foreground {
  private lastRequestAt = Number.NEGATIVE_INFINITY;

  /** Call it before routes are registered. */
  watch(fastify: FastifyInstance): void {
    fastify.addHook('onRequest', ({ routeOptions }, _reply, done) => {
      const { unhurried = false, acceptsStream = false } = routeOptions.config as RouteOptions;
      if (!unhurried && !acceptsStream) this.lastRequestAt = performance.now();
      done();
    });
  }

  get isInUse(): boolean {
    return performance.now() - this.lastRequestAt < IN_USE_MS;
  }

  /** Call the returned function after each step of long work. While the service is in use, it pauses. */
  pace(): Pace {
    let since = performance.now();
    return async () => {
      const worked = performance.now() - since;
      // The event loop receives pending requests between two turns.
      for (let turn = 0; turn < 2; turn += 1) await setImmediate();
      if (this.isInUse) await delay(Math.min(worked * REST, MOST_REST_MS));
      since = performance.now();
    };
  }
}
