/** Returns an object without a prototype, so that any key can be looked up safely. Keeps the order of the entries. */
export function plainRecord<T>(entries: Iterable<readonly [string, T]>): Readonly<Record<string, T>> {
  const record = Object.create(null) as Record<string, T>;
  for (const [key, value] of entries) record[key] = value;
  return record;
}

export function withoutUndefined<T extends object>(object: T): T {
  const copy: Partial<T> = {};
  for (const key of Object.keys(object) as (keyof T)[]) {
    if (object[key] !== undefined) copy[key] = object[key];
  }
  return copy as T;
}
