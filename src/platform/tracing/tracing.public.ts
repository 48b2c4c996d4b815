import type * as Api from '@opentelemetry/api';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Config } from '../config/config.types.js';

/** Headers of a trace: `traceparent` and related headers (W3C Trace Context). */
type TraceHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Details of a span. Names and attributes must be from closed sets: no SQL texts, values, URLs or personal data. */
interface SpanDetails {
  readonly kind?: 'server' | 'client' | 'consumer';
  readonly attributes?: Readonly<Record<string, string | number>>;
  /** The parent trace. Default: the active one. */
  readonly parent?: TraceHeaders;
  /** A related trace of an untrusted client. The span begins a new trace. */
  readonly link?: TraceHeaders;
}

export interface OpenSpan {
  /** Runs work with this span as the active one. Spans that begin in it become children. */
  within<T>(work: () => T): T;
  set(attributes: Readonly<Record<string, string | number>>): void;
  end(failed?: boolean): void;
}

class OpenTelemetryTracer {
  private readonly tracer: Api.Tracer;

  constructor(private readonly api: typeof Api) {
    this.tracer = api.trace.getTracer('lintel');
  }

  isActive(): boolean {
    return this.api.trace.getActiveSpan() !== undefined;
  }

  start(name: string, { kind, attributes, parent, link }: SpanDetails = {}): OpenSpan {
    const { context, SpanKind, SpanStatusCode, trace } = this.api;
    const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, consumer: SpanKind.CONSUMER };
    const outer = this.outerOf(parent, link);
    const options = { kind: kind && kinds[kind], attributes, links: this.linksTo(link) };
    const span = this.tracer.startSpan(name, options, outer);
    const inner = trace.setSpan(outer, span);
    return {
      within: (work) => context.with(inner, work),
      set: (more) => void span.setAttributes(more),
      end: (failed = false) => {
        if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      },
    };
  }

  headers(): Readonly<Record<string, string>> {
    const headers: Record<string, string> = {};
    this.api.propagation.inject(this.api.context.active(), headers);
    const { traceparent, tracestate } = headers;
    return {
      ...(traceparent === undefined ? {} : { traceparent }),
      ...(tracestate === undefined ? {} : { tracestate }),
    };
  }

  private outerOf(parent: TraceHeaders | undefined, link: TraceHeaders | undefined): Api.Context {
    if (parent !== undefined) return this.contextOf(parent);
    return link === undefined ? this.api.context.active() : this.api.ROOT_CONTEXT;
  }

  private linksTo(headers: TraceHeaders | undefined): Api.Link[] {
    const context = headers && this.api.trace.getSpanContext(this.contextOf(headers));
    return context === undefined ? [] : [{ context }];
  }

  private contextOf(headers: TraceHeaders): Api.Context {
    return this.api.propagation.extract(this.api.ROOT_CONTEXT, headers);
  }
}

let current: OpenTelemetryTracer | null = null;

/** Returns the tracer; null if tracing is off. */
export function activeTracer(): OpenTelemetryTracer | null {
  return current;
}

/** Runs work as a child of the active span. Without one, it runs the work only. */
export function traced<T>(name: string, details: SpanDetails, work: () => T): T {
  if (current?.isActive() !== true) return work();
  return spanned(current.start(name, details), work);
}

export function spanned<T>(span: OpenSpan, work: () => T): T {
  let result: T;
  try {
    result = span.within(work);
  } catch (error) {
    span.end(true);
    throw error;
  }
  if (result instanceof Promise) {
    result.then(
      () => span.end(),
      () => span.end(true),
    );
  } else span.end();
  return result;
}

/** Symbol under which every copy of the API finds the registered SDK. */
const REGISTERED = Symbol.for('opentelemetry.js.api.1');
const FIRST_FAULT_STATUS = 500;

/** Enables tracing if an OpenTelemetry SDK was loaded before the service (`node --import`, with the standard `OTEL_*` variables). */
export async function loadTracer(): Promise<void> {
  const registered = (globalThis as { [REGISTERED]?: { readonly trace?: unknown } })[REGISTERED];
  current = registered?.trace === undefined ? null : new OpenTelemetryTracer(await import('@opentelemetry/api'));
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
