/** `npm run cli -- <command>`: builds if needed, then runs the command. */
import { buildIfNeeded } from './run.mjs';

await buildIfNeeded();
await import('../dist/program/cli.js');
