import { setImmediate, setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import { RouteConfig } from '@nestjs/platform-fastify';

const IN_USE_MS = 1_000;
/** Multiple of its working time for which background work pauses, so that requests get three quarters of the thread. */
const PAUSE_FACTOR = 3;
/** Maximum pause in milliseconds: a step that waited for something did not use the thread. @internal */
const MAX_PAUSE_MS = 25;

/** Detects whether clients wait for responses of this process, so that background work leaves them most of its thread. */
@Injectable()
export class Foreground {
  private lastRequestAt = Number.NEGATIVE_INFINITY;

  /** Call it before routes are registered. */
  watch(fastify: FastifyInstance): void {
    fastify.addHook('onRequest', ({ routeOptions }, _reply, done) => {
      const { unhurried, acceptsStream } = routeOptions.config as { unhurried?: boolean; acceptsStream?: boolean };
      if (unhurried !== true && acceptsStream !== true) this.lastRequestAt = performance.now();
      done();
    });
  }

  get isInUse(): boolean {
    return performance.now() - this.lastRequestAt < IN_USE_MS;
  }

  /** Call the returned function after each step of long work. While the service is in use, it pauses. */
  pace(): () => Promise<void> {
    let since = performance.now();
    return async () => {
      const worked = performance.now() - since;
      // The event loop receives pending requests between two turns.
      for (let turn = 0; turn < 2; turn += 1) await setImmediate();
      if (this.isInUse) await delay(Math.min(worked * PAUSE_FACTOR, MAX_PAUSE_MS));
      since = performance.now();
    };
  }
}

/** Marks a route that clients poll, for example to wait for an import. Background work does not pause for its requests. */
export function Unhurried(): MethodDecorator {
  return RouteConfig({ unhurried: true });
}
