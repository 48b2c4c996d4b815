import { existsSync, readFileSync } from 'node:fs';

const SLOWEST = 10;

/**
 * Prints the processor seconds of a run by test kind, and the files with the most. On a busy machine, compare these instead of elapsed
 * time.
 *
 * @param file the notes of test/support/processors.cjs; empty if the operating system reports no process times.
 */
export function printSlowest(file) {
  if (!existsSync(file)) return;
  const notes = readFileSync(file, 'utf8').split('\n').filter(Boolean).map(readNote);
  const sums = new Map();
  for (const { kind, seconds } of notes) sums.set(kind, (sums.get(kind) ?? 0) + seconds);
  const kinds = [...sums].map(([kind, seconds]) => `${kind || 'servers'} ${seconds.toFixed(0)} s`);
  console.log(`Processor time: ${kinds.join(', ')}. Slowest files:`);
  const slowest = notes.toSorted((one, other) => other.seconds - one.seconds).slice(0, SLOWEST);
  for (const { name, seconds } of slowest) console.log(`${seconds.toFixed(1).padStart(8)} s  ${name}`);
}

function readNote(line) {
  const { kind, name, load = 0, run } = JSON.parse(line);
  return { kind, name, seconds: load + run };
}
