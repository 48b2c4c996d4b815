import { Inject, Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { defineCounter, type Reading } from '../../kernel/metrics.js';
import { CONFIG, type Config } from '../config/config.types.js';

const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** A route stores its times under this symbol, so that a request needs no lookup. */
const TIMES = Symbol('TIMES');
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** The series of a route and a status begins with its first request, which `increase()` does not see. These series begin at 0. */
const ERRORS = defineCounter({
  name: 'lintel_http_server_errors_total',
  help: 'Requests with status 500 or 503.',
  labels: { status: ['500', '503'] },
});

interface RouteTimes {
  readonly method: string;
  readonly route: string;
  readonly statuses: Map<number, number>;
  /** Requests by bucket; the last bucket counts requests above all bounds. */
  readonly buckets: number[];
  seconds: number;
}

export interface RequestValue extends Reading {
  readonly metricName?: string;
}

/** Counts requests by the pattern of their route, never by their URL. Registers nothing if metrics are off. */
@Injectable()
export class RequestTimes {
  private readonly on: boolean;
  private readonly routes: RouteTimes[] = [];
  private readonly unmatched = new Map<string, RouteTimes>();

  constructor(@Inject(CONFIG) { metrics }: Config) {
    this.on = metrics !== null;
  }

  /** Call it before routes are registered. */
  watch(fastify: FastifyInstance): void {
    if (!this.on) return;
    fastify.addHook('onRoute', (options) => {
      const { method, url, config } = options;
      const times = emptyTimes([method].flat().join(','), url);
      this.routes.push(times);
      options.config = Object.assign({}, config, { [TIMES]: times });
    });
    fastify.addHook('onResponse', (request, reply, done) => {
      this.count(request, reply);
      done();
    });
  }

  requests(): readonly RequestValue[] {
    return this.all().flatMap(({ method, route, statuses }) =>
      [...statuses].map(([status, value]) => ({ labels: { method, route, status: String(status) }, value })),
    );
  }

  histogram(name: string): readonly RequestValue[] {
    return this.all().flatMap(({ method, route, buckets, seconds }) => {
      const total = buckets.reduce((sum, count) => sum + count, 0);
      if (total === 0) return [];
      const labels = { method, route };
      let below = 0;
      const bounded = BOUNDS.map((bound, at) => {
        below += buckets[at] ?? 0;
        return { metricName: `${name}_bucket`, labels: { ...labels, le: String(bound) }, value: below };
      });
      return [
        ...bounded,
        { metricName: `${name}_bucket`, labels: { ...labels, le: '+Inf' }, value: total },
        { metricName: `${name}_sum`, labels, value: seconds },
        { metricName: `${name}_count`, labels, value: total },
      ];
    });
  }

  private count(request: FastifyRequest, reply: FastifyReply): void {
    const times = (request.routeOptions.config as { [TIMES]?: RouteTimes })[TIMES] ?? this.strayed(request.method);
    const seconds = reply.elapsedTime / 1_000;
    times.statuses.set(reply.statusCode, (times.statuses.get(reply.statusCode) ?? 0) + 1);
    times.seconds += seconds;
    if (reply.statusCode === 500 || reply.statusCode === 503) ERRORS.inc({ status: `${reply.statusCode}` });
    let bucket = 0;
    while (bucket < BOUNDS.length && seconds > (BOUNDS[bucket] ?? 0)) bucket += 1;
    times.buckets[bucket] = (times.buckets[bucket] ?? 0) + 1;
  }

  private strayed(sent: string): RouteTimes {
    const method = METHODS.has(sent) ? sent : 'other';
    const times = this.unmatched.get(method) ?? emptyTimes(method, 'unmatched');
    this.unmatched.set(method, times);
    return times;
  }

  private all(): readonly RouteTimes[] {
    return [...this.routes, ...this.unmatched.values()];
  }
}

function emptyTimes(method: string, route: string): RouteTimes {
  return { method, route, statuses: new Map(), buckets: BOUNDS.map(() => 0).concat(0), seconds: 0 };
}
