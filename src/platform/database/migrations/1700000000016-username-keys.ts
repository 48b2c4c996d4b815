import type { MigrationInterface, QueryRunner } from 'typeorm';
import { foldCase } from '../../../kernel/comparable-text.js';

interface Row {
  readonly id: string;
  readonly username: string;
  readonly username_key: string;
}

/** Names of ASCII letters fold as they did. */
const OTHERS = `SELECT id, username, username_key FROM users WHERE username ~ '[^\\x01-\\x7f]' ORDER BY created_at, id`;
const TAKEN = 'SELECT 1 FROM users WHERE username_key = $1 AND id <> $2';
const RENAME = 'UPDATE users SET username = $2, username_key = $3 WHERE id = $1';

/**
 * Usernames are compared by full case folding. Two that were different and are one name by now: the account that has it in
 * the folded form keeps it, else the oldest; the others get a number behind theirs, and a warning says which they are. Everybody
 * still signs in by address.
 */
export class UsernameKeys1700000000016 implements MigrationInterface {
  readonly name = 'UsernameKeys1700000000016';

  async up(runner: QueryRunner): Promise<void> {
    for (const { id, username, username_key: before } of (await runner.query(OTHERS)) as Row[]) {
      if (foldCase(username) === before) continue;
      let name = username;
      for (let number = 2; await isTaken(runner, foldCase(name), id); number += 1) name = `${username}-${number}`;
      await runner.query(RENAME, [id, name, foldCase(name)]);
      if (name !== username)
        process.emitWarning(`The username of account ${id} is taken in other letters; it has a number behind it now.`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const { id, username } of (await runner.query(OTHERS)) as Row[])
      await runner.query(RENAME, [id, username, username.toLowerCase()]);
  }
}

async function isTaken(runner: QueryRunner, key: string, id: string): Promise<boolean> {
  return ((await runner.query(TAKEN, [key, id])) as unknown[]).length > 0;
}
