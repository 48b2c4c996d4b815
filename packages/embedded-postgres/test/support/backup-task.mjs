/**
 * A process that takes or restores backups, for tests that kill it: `backup-task.mjs <task> <directory> <backups>`. Prints one JSON object
 * per line. `backup` takes one backup after another, `restore` stops before its last step. Both run until they are killed.
 */
import {
  acquireEmbeddedPostgres,
  restoreBackup,
  createBackup,
} from '../../../../dist/packages/embedded-postgres/src/embedded-postgres.js';

const [task, directory, backups] = process.argv.slice(2);
const print = (event) => process.stdout.write(`${JSON.stringify(event)}\n`);
const name = 'sample';
const forever = () => new Promise((resolve) => setTimeout(resolve, 600_000));

try {
  if (task === 'restore') {
    await restoreBackup({ directory, name, from: backups, work: () => (print({ event: 'ready' }), forever()) });
  } else {
    const { url } = await acquireEmbeddedPostgres({ directory, name });
    print({ event: 'ready' });
    for (;;) await createBackup({ url, directory, name, backups });
  }
} catch (error) {
  print({ event: 'error', code: error.code, message: error.message });
  process.exitCode = 1;
}
