/** Shape of a list's query over the table of its schema, without any value: the columns by their ids, which stay over renames. */
export interface QueryShape {
  readonly schema: string;
  /** Columns that are held against one value, or a few. */
  readonly equal: readonly string[];
  /** Columns that are held against a bound. */
  readonly ranges: readonly string[];
  /** The leading keys of the order that go in one direction, as far as they are columns of the table itself. */
  readonly order: readonly string[];
}

/** A shape that lists had, and what they took. */
export interface SeenQuery {
  readonly shape: QueryShape;
  readonly seen: number;
  /** Milliseconds that they took in all, as the service saw it. */
  readonly milliseconds: number;
}
