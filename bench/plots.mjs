/**
 * `npm run plots`: draws the results that `npm run bare`, `growth:bare` and `pressure` wrote with `--json results/<name>.json`, as
 * `docs/images/bench-<name>.svg`. Plots without results stay unchanged.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { bars } from './plot.mjs';

const IMAGES = new URL('../docs/images/', import.meta.url);
const PLOTS = {
  bare: (rows) =>
    bars(
      'Requests a second beside statements written by hand',
      rows.map(({ name, ratio }) => ({ name, value: ratio, label: `${Math.round(100 * ratio)} %` })),
      { value: 1, label: 'by hand' },
    ),
  growth: (rows) =>
    bars(
      'At a million posts: times of the statement written by hand',
      rows.map(({ name, ratio, ours }) => ({
        name,
        value: ratio,
        label: `${ratio.toFixed(1)} (${ours.toFixed(0)} ms)`,
      })),
      { value: 1, label: 'by hand' },
    ),
  pressure: (rows) =>
    bars(
      'Under pressure: p99 of a read, in ms',
      rows.map(({ name, p99 }) => ({ name, value: p99, label: p99.toFixed(0) })),
      { value: rows[0].p99, label: 'alone' },
    ),
};

mkdirSync(IMAGES, { recursive: true });
for (const [name, draw] of Object.entries(PLOTS)) {
  const results = new URL(`results/${name}.json`, import.meta.url);
  if (!existsSync(results)) continue;
  writeFileSync(new URL(`bench-${name}.svg`, IMAGES), draw(JSON.parse(readFileSync(results, 'utf8'))));
  console.log(`docs/images/bench-${name}.svg`);
}
