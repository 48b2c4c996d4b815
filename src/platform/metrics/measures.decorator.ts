import type { MetricDefinition, Reading } from '../../kernel/metrics.js';
import { MethodMark } from '../extension/marked-methods.js';

export const MEASURES = new MethodMark<Measure>('is a measure');

export interface Measure extends MetricDefinition {
  /** A counter only grows while the process lives. Default: `gauge`. */
  readonly type?: 'gauge' | 'counter';
  /** Milliseconds to cache a reading that costs a database query. Default: no cache. */
  readonly cacheMs?: number;
}

/** A number, or several numbers with labels. Label values must be from closed sets. */
export type Measured = number | readonly Reading[];

type MeasuringMethod = <T extends () => Measured | Promise<Measured>>(
  target: object,
  name: string | symbol,
  method: TypedPropertyDescriptor<T>,
) => void;

/** Calls this method of a provider when metrics are read. If it throws, its metric is omitted from that response. */
export function Measures(measure: Measure): MeasuringMethod {
  return (target, name, method) => MEASURES.add(target, name, method, measure);
}
