import { readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { replaceDurably, syncDirectory } from './durable-files.js';
import type { EmbeddedHome } from './embedded-home.js';
import { errnoOf } from './embedded-postgres.errors.js';

/** Replacement between two moments at which a process may be killed: the same two steps, by whoever comes next. */
interface Replacement {
  /** the new cluster, beside the old one */
  readonly from: string;
  /** what the old one is called from now on */
  readonly kept: string;
}

/**
 * Puts a complete cluster in place of the one that is there, which is kept under another name. Whoever is killed meanwhile leaves
 * the old one or, when the next process has looked, the new one; never none. Only the holder of the start lock may call this.
 *
 * @param cluster in the same directory, or below it.
 * @returns where the old one is; null if there was none.
 */
export function replaceCluster(home: EmbeddedHome, cluster: string): string | null {
  const moment = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  const kept = `cluster.before-${moment}`;
  const hadOne = isThere(home.cluster);
  const from = cluster.slice(home.root.length + 1);
  replaceDurably(journalOf(home), JSON.stringify({ from, kept } satisfies Replacement));
  finishReplacement(home);
  return hadOne ? join(home.root, kept) : null;
}

/** Ends a replacement that was begun; does nothing if none was. Only the holder of the start lock may call this. */
export function finishReplacement(home: EmbeddedHome): void {
  const journal = readJournal(journalOf(home));
  if (journal === null) return;
  const from = join(home.root, journal.from);
  if (isThere(from)) {
    if (isThere(home.cluster)) renameSync(home.cluster, join(home.root, basename(journal.kept)));
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

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}
