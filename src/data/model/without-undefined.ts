/** A copy of a plain object without the members that are `undefined`. */
export function withoutUndefined<T extends object>(object: T): T {
  const copy: Partial<T> = {};
  for (const key of Object.keys(object) as (keyof T)[]) {
    if (object[key] !== undefined) copy[key] = object[key];
  }
  return copy as T;
}
