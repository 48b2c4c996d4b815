import { defineFunction } from 'lintel';

/** Ranks an order by its size, from 1 to 3. The schema says: `"setter": "acme_priority(record.pieces)"`. */
export const orderPriority = defineFunction('acme_priority(int): int', (pieces) => {
  if (pieces >= 100) return 3;
  return pieces >= 10 ? 2 : 1;
});
