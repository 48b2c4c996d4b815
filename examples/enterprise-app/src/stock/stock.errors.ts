import { defineError } from 'lintel';

/** An order of more pieces than there are. */
export const OutOfStock = defineError('acme_out_of_stock', {
  status: 409,
  message: 'There are not enough pieces in stock.',
});
