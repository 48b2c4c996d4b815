/** Sums up where the processor seconds of a run went: test/support/processors.cjs notes them. */
import { readFileSync } from 'node:fs';
import lodash from 'lodash';

const { groupBy } = lodash;
const DEAREST = 40;
const row = (name, ...seconds) => `| ${name} | ${seconds.map((some) => some.toFixed(1)).join(' | ')} |`;

/**
 * Prints the seconds of a run: by kind, and of the files that took most.
 *
 * @param file the notes of the run
 * @param total seconds of the run as a whole. A file does not have what outlives its tests, such as an embedded database of its own.
 */
export function printProfile(file, total) {
  const notes = readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => ({ load: 0, ...JSON.parse(line) }));
  const kinds = Object.entries(groupBy(notes, 'kind'));
  const sum = (some, key) => some.reduce((result, one) => result + one[key], 0);
  const dearest = notes.toSorted((one, other) => other.load + other.run - one.load - one.run).slice(0, DEAREST);
  console.log(
    [
      `Processor seconds, ${total.toFixed(0)} in all without the database server:`,
      '',
      '| kind | load | run |',
      '| --- | --: | --: |',
      ...kinds.map(([kind, some]) =>
        row(`${kind || 'beside them'}, ${some.length}`, sum(some, 'load'), sum(some, 'run')),
      ),
      '',
      '| file | load | run |',
      '| --- | --: | --: |',
      ...dearest.map(({ name, load, run }) => row(name, load, run)),
      '',
    ].join('\n'),
  );
}
