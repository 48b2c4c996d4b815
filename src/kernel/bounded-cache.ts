import { LRUCache } from 'lru-cache';

const one = (): number => 1;

/** Creates an LRU cache that allocates memory as it grows. With `max` the library would allocate all entries at each start. */
export function boundedCache<Value extends object | number | true>(max: number, ttl = 0): LRUCache<string, Value> {
  return new LRUCache({ maxSize: max, sizeCalculation: one, ttl });
}
