import { runApp } from './run-app.js';

await runApp();
