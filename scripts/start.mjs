/** `npm start`: builds if needed, then becomes the service. */
import { buildIfNeeded } from './run.mjs';

await buildIfNeeded();
await import('../dist/src/main.js');
