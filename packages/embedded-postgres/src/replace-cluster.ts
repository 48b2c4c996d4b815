import { readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { replaceDurably, syncDirectory } from './durable-files.js';
import type { EmbeddedHome } from './embedded-home.js';
import { errnoOf } from './embedded-postgres.errors.js';

/** Journal of a replacement. If the process is killed, the next process repeats the same steps. */
interface Replacement {
  /** Path of the new cluster, next to the old one. */
  readonly from: string;
  readonly kept: string;
}

/**
 * Replaces a cluster by a complete one. The old cluster is kept under another name. If the process is killed, the next call of
 * `finishReplacement` completes the replacement, so there is always a cluster. Only the owner of the start lock may call this.
 *
 * @param cluster a directory in the same root, at any depth.
 * @returns the path of the old cluster; null if there was none.
 */
export function replaceCluster(home: EmbeddedHome, cluster: string): string | null {
  const timestamp = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  const previous = `cluster.before-${timestamp}`;
  const hadOne = exists(home.cluster);
  const from = cluster.slice(home.root.length + 1);
  replaceDurably(journalOf(home), JSON.stringify({ from, kept: previous } satisfies Replacement));
  finishReplacement(home);
  return hadOne ? join(home.root, previous) : null;
}

/** Completes a pending replacement; does nothing without one. Only the owner of the start lock may call this. */
export function finishReplacement(home: EmbeddedHome): void {
  const journal = readJournal(journalOf(home));
  if (journal === null) return;
  const from = join(home.root, journal.from);
  if (exists(from)) {
    if (exists(home.cluster)) renameSync(home.cluster, join(home.root, basename(journal.kept)));
    renameSync(from, home.cluster);
    syncDirectory(home.root);
  }
  rmSync(journalOf(home), { force: true });
}

function journalOf({ root }: EmbeddedHome): string {
  return join(root, 'replacement.json');
}

function readJournal(path: string): Replacement | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Replacement;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw error;
  }
}

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}
