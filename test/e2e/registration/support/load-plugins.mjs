// Loads the plugins of a data directory with the built product and prints what came of it as one line of JSON.
import { loadPlugins } from '../../../../dist/src/edge/plugins/plugin-loader.js';

const outcome = await loadPlugins(process.argv[2], 1_000).then(
  (plugins) => ({ plugins: plugins.map(({ path, hooks }) => ({ path, hooks: hooks.length })) }),
  (error) => ({ name: error.name, message: error.message }),
);
process.stdout.write(`\n${JSON.stringify({ ...outcome, trace: globalThis.trace ?? [] })}\n`);
process.exit();
