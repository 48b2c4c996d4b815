/** Headers of a trace: `traceparent` and related headers (W3C Trace Context). */
export type TraceHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Details of a span. Names and attributes must be from closed sets: no SQL texts, values, URLs or personal data. */
export interface SpanDetails {
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

export interface Tracer {
  isActive(): boolean;
  start(name: string, details?: SpanDetails): OpenSpan;
  /** Returns the headers that propagate the active trace; empty without one. */
  headers(): Readonly<Record<string, string>>;
}

let current: Tracer | null = null;

/** Sets the tracer of this process; null turns tracing off. */
export function useTracer(tracer: Tracer | null): void {
  current = tracer;
}

/** Returns the tracer; null if tracing is off. */
export function activeTracer(): Tracer | null {
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
