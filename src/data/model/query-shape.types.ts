/** Shape of a list query without values. Columns are identified by stable ids. */
export interface QueryShape {
  readonly schema: string;
  /** Columns compared with one or a few values. */
  readonly equal: readonly string[];
  /** Columns compared with a bound. */
  readonly ranges: readonly string[];
  /** Leading sort keys with the same direction, if they are columns of the table. */
  readonly order: readonly string[];
}

export interface SeenQuery {
  readonly shape: QueryShape;
  readonly seen: number;
  /** Total duration in milliseconds, measured by the server. */
  readonly milliseconds: number;
}
