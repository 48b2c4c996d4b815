/** Builds the service and its pages into dist/. */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { must, ROOT } from './run.mjs';

if (!existsSync(join(ROOT, 'node_modules', '.bin', 'nest'))) {
  console.error(
    'The build needs the development packages: run `npm ci` without --omit=dev and without NODE_ENV=production.',
  );
  process.exit(1);
}
rmSync(join(ROOT, 'dist'), { recursive: true, force: true });
await must('nest', ['build']);
await must('vite', ['build', '--config', 'dash/vite.config.ts', '--logLevel', 'warn']);
writeFileSync(join(ROOT, 'dist', '.built'), '');
