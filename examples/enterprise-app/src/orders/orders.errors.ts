import { defineError } from 'lintel';

/** An order of an unknown product. */
export const UnknownProduct = defineError('acme_unknown_product', {
  status: 422,
  message: 'There is no such product.',
});

/** An order of no pieces, or of more than Acme sells in one order. */
export const OrderTooLarge = defineError('acme_order_size', {
  status: 422,
  message: 'An order cannot be of that many pieces.',
});

/** A change of an order that is shipped or cancelled. */
export const OrderClosed = defineError('acme_order_closed', {
  status: 409,
  message: 'The order cannot be changed any more.',
});
