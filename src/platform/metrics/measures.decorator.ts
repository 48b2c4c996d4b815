import { SetMetadata } from '@nestjs/common';
import type { MetricDefinition, Reading } from '../../kernel/metrics.js';

/** Metadata of a method that measures. */
export const MEASURES = Symbol('MEASURES');

/** Describes what a method measures. */
export interface Measure extends MetricDefinition {
  /** A counter only grows while the process lives; `gauge` unless said. */
  readonly type?: 'gauge' | 'counter';
  /** For how long a reading is good that costs the database something; read each time unless said. */
  readonly keepMs?: number;
}

/** A number, or several with labels, whose values are of closed sets. */
export type Measured = number | readonly Reading[];

type MeasuringMethod = <T extends () => Measured | Promise<Measured>>(
  target: object,
  name: string | symbol,
  method: TypedPropertyDescriptor<T>,
) => void;

/**
 * Has this method of a provider asked whenever the metrics of the process are read, and never where they are off. What it
 * throws leaves its numbers out of that answer.
 */
export function Measures(measure: Measure): MeasuringMethod {
  return SetMetadata(MEASURES, measure);
}
