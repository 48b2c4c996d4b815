import { defineMail } from 'lintel';

/** Sent once for each order. */
export const orderConfirmation = defineMail('acme-order-confirmation', {
  subject: 'Your order of {{product}}',
  html: '<p>Thank you. {{pieces}} pieces of {{product}} for {{price}} are on their way.</p>',
  text: 'Thank you. {{pieces}} pieces of {{product}} for {{price}} are on their way.',
  variables: {
    product: { sample: 'Green tea' },
    pieces: { sample: '12' },
    price: { sample: '48.00 EUR' },
  },
});
