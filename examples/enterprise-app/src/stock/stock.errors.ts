import { defineError } from 'lintel';

/** An order of more pieces than are in stock. */
export const OutOfStock = defineError('acme_out_of_stock', {
  status: 409,
  message: 'There are not enough pieces in stock.',
});
