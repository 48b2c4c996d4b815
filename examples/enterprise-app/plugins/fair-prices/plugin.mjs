// @ts-check

/**
 * Rules of the catalogue that an operator can add without a build: copy the folder to `$DATA_DIR/plugins`.
 *
 * @type {import('lintel/plugin').Plugin}
 */
export default function (app) {
  const GivenAway = app.defineError('acme_given_away', { status: 422, message: 'Tea is not given away.' });
  const NameTaken = app.defineError('acme_name_taken', { status: 409, message: 'Another product has that name.' });

  app.beforeWrite(
    'product',
    ({ values, before }) => {
      const { name, price_cents: price } = { ...before, ...values };
      if (price === 0) throw new GivenAway();
      if (typeof name === 'string') Object.assign(values, { name: name.trim() });
    },
    { on: ['create', 'update'] },
  );
  // Runs in the transaction, which sees the record. An exception rolls it back.
  app.afterWrite('product', async ({ manager, after }) => {
    const { name } = { ...after };
    const [{ count }] = await manager.query('SELECT count(*) FROM products WHERE lower(name) = lower($1)', [name]);
    if (Number(count) > 1) throw new NameTaken();
  });
  app.afterCommit('product', ({ after, before }) => {
    const [{ price_cents: was }, { sku, price_cents: price }] = [{ ...before }, { ...after }];
    if (price !== was) console.log(`price of ${sku}: ${price}`);
  });
}
