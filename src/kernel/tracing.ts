/** Headers that carry a trace: `traceparent` and what goes with it (W3C Trace Context). */
export type TraceHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Describes a span. Its name and attributes are of closed sets: no text of SQL, no value, no address, no person. */
export interface SpanDetails {
  readonly kind?: 'server' | 'client' | 'consumer';
  readonly attributes?: Readonly<Record<string, string | number>>;
  /** The trace that it is a part of; the one under way unless said. */
  readonly parent?: TraceHeaders;
  /** A trace that it has to do with, of somebody who is not trusted: the span begins a trace of its own. */
  readonly link?: TraceHeaders;
}

/** A span that is under way. */
export interface OpenSpan {
  /** Runs work as a part of it: what begins a span there begins it below this one. */
  within<T>(work: () => T): T;
  set(attributes: Readonly<Record<string, string | number>>): void;
  end(failed?: boolean): void;
}

/** Begins spans. */
export interface Tracer {
  /** Returns whether a span is under way where this is asked. */
  isActive(): boolean;
  start(name: string, details?: SpanDetails): OpenSpan;
  /** Returns the headers that take the trace under way elsewhere; empty without one. */
  headers(): Readonly<Record<string, string>>;
}

let current: Tracer | null = null;

/** Sets what begins spans in this process; null for nothing. */
export function useTracer(tracer: Tracer | null): void {
  current = tracer;
}

/** Returns what begins spans, where somebody watches; null otherwise, and nothing is to be done then. */
export function activeTracer(): Tracer | null {
  return current;
}

/** Runs work as a span below the one under way. Without one, or where nobody watches, it is just run. */
export function traced<T>(name: string, details: SpanDetails, work: () => T): T {
  if (current?.isActive() !== true) return work();
  return spanned(current.start(name, details), work);
}

/** Runs work as a span, which ends with it. */
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
