/** A set of names. */
export type NameSet = Pick<ReadonlySet<string>, 'has'> & Iterable<string>;

/** Stands for the fields of a schema of which nothing is known, not even how many there are. */
export const EVERY_NAME: NameSet = { has: () => true, [Symbol.iterator]: () => [].values() };
