/**
 * `npm run growth [-- --sizes 10000,100000,1000000 --times 50]`: measures the post list as the table grows, with requests in sequence.
 * Prints p50 in ms of the first page, also with exact and capped total, of a high page number, and of the first and last page by cursor.
 * Uses a new database per size, which is dropped afterwards. Build first (`npm run build`).
 */
import { parseArgs } from 'node:util';
import { listPath } from './blog-requests.mjs';
import { startChild } from './child.mjs';

const LIST = { filter: '{"status":"published","views":{"$gte":10}}' };
/** Maximum number of records that page numbers can skip. */
const MOST_SKIPPED = 1_000_000;
const PAGE_SIZE = 20;
const COLUMNS = ['first', 'total', 'capped', 'deep page', 'cursor', 'last cursor'];

const { values } = parseArgs({
  options: { sizes: { type: 'string', default: '10000,100000,1000000' }, times: { type: 'string', default: '50' } },
});
const sizes = values.sizes.split(',').map(Number);

row('posts', COLUMNS, 'deep at');
const found = [];
for (const size of sizes) found.push(await measure(size));
const [least, most] = [found[0], found.at(-1)];
row(
  'growth',
  COLUMNS.map((_, index) => `${(most[index] / least[index]).toFixed(1)} x`),
  '',
);

async function measure(size) {
  const product = await startChild('./server.mjs', { input: { resources: ['content.*'], posts: size } });
  try {
    const read = reader(product);
    const { total } = (await read({ ...LIST, count: 'exact' })).data;
    const page = Math.floor(Math.min(total, MOST_SKIPPED) / PAGE_SIZE);
    const cursor = await lastCursor(read);
    const cases = [
      { count: 'none' },
      { count: 'exact' },
      { count: 'capped' },
      { count: 'none', page: String(page) },
      { cursor: '' },
      { cursor },
    ];
    const times = [];
    for (const parameters of cases) times.push(await median(() => read({ ...LIST, ...parameters })));
    row(
      size,
      times.map((ms) => ms.toFixed(2)),
      `page ${page}`,
    );
    return times;
  } finally {
    await product.stop();
  }
}

function reader({ base, token }) {
  const headers = { authorization: `Bearer ${token}` };
  return async (parameters) => {
    const response = await fetch(base + listPath(parameters), { headers });
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    return response.json();
  };
}

/** Returns the cursor before the last page, by reading all pages. */
async function lastCursor(read) {
  let [before, cursor] = ['', ''];
  for (;;) {
    const { next_cursor: next, items } = (await read({ ...LIST, select: 'id', limit: '100', cursor })).data;
    if (next === null || items.length < 100) return before;
    [before, cursor] = [cursor, next];
  }
}

async function median(work) {
  await work();
  const times = [];
  for (let count = 0; count < Number(values.times); count += 1) {
    const start = performance.now();
    await work();
    times.push(performance.now() - start);
  }
  return times.toSorted((left, right) => left - right)[Math.floor(times.length / 2)];
}

function row(size, cells, last) {
  console.log(String(size).padStart(8) + cells.map((cell) => cell.padStart(13)).join('') + String(last).padStart(14));
}
