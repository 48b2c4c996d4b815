import type * as Api from '@opentelemetry/api';
import type { OpenSpan, SpanDetails, TraceHeaders, Tracer } from '../../kernel/tracing.js';

export class OpenTelemetryTracer implements Tracer {
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
