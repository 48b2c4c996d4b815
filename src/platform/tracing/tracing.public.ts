import type { FastifyInstance, FastifyRequest } from 'fastify';
import { activeTracer, type OpenSpan, useTracer } from '../../kernel/tracing.js';
import type { Config } from '../config/config.types.js';
import { OpenTelemetryTracer } from './open-telemetry-tracer.js';

/** Symbol under which every copy of the API finds the registered SDK. */
const REGISTERED = Symbol.for('opentelemetry.js.api.1');
const FIRST_FAULT_STATUS = 500;

/** Enables tracing if an OpenTelemetry SDK was loaded before the service (`node --import`, with the standard `OTEL_*` variables). */
export async function loadTracer(): Promise<void> {
  const registered = (globalThis as { [REGISTERED]?: { readonly trace?: unknown } })[REGISTERED];
  if (registered?.trace === undefined) return useTracer(null);
  useTracer(new OpenTelemetryTracer(await import('@opentelemetry/api')));
}

/**
 * Traces the requests of a server. Behind a trusted proxy the trace of the request continues. Otherwise it is only linked, because an
 * untrusted client must not decide on sampling.
 */
export function traceRequests(fastify: FastifyInstance, { trustProxy }: Pick<Config, 'trustProxy'>): void {
  const tracer = activeTracer();
  if (tracer === null) return;
  const spans = new WeakMap<FastifyRequest, OpenSpan>();
  fastify.addHook('onRequest', (request, reply, done) => {
    const { headers, method, id } = request;
    const route = request.routeOptions.url;
    const name = route === undefined ? 'unmatched' : `${method} ${route}`;
    const attributes = {
      ...(route === undefined ? {} : { 'http.request.method': method, 'http.route': route }),
      'lintel.request_id': id,
    };
    const span = tracer.start(name, {
      kind: 'server',
      attributes,
      [trustProxy === false ? 'link' : 'parent']: headers,
    });
    spans.set(request, span);
    reply.raw.once('close', () => {
      span.set({ 'http.response.status_code': reply.statusCode });
      span.end(reply.statusCode >= FIRST_FAULT_STATUS);
    });
    span.within(done);
  });
  // Body events begin outside of the span.
  fastify.addHook('preValidation', (request, _reply, done) => {
    const span = spans.get(request);
    if (span === undefined) done();
    else span.within(done);
  });
}
