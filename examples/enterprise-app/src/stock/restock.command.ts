import { CommandError, defineCommand } from 'lintel';
import { DataSource } from 'typeorm';
import { StockService } from './stock.service.js';

/** `node dist/main.js acme:restock tea-green 100` */
export const restock = defineCommand({
  name: 'acme:restock',
  description: 'add pieces of a product to the stock',
  arguments: { '<sku>': 'the product', '<pieces>': 'how many' },
  async run({ app, arguments: [sku = '', text = ''], print }) {
    const pieces = Number(text);
    if (!Number.isInteger(pieces) || pieces < 1) throw new CommandError(`${text} is no number of pieces.`);
    const { manager } = app.get(DataSource);
    const stock = app.get(StockService, { strict: false });
    await stock.add(manager, sku, pieces);
    const total = await stock.count(manager, sku);
    print({ sku, pieces: total }, `${total} pieces of ${sku} are in stock.`);
  },
});
