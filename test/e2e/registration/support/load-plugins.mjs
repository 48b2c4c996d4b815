// Loads the plugins of each received data directory with the built product, and sends the result.
import { loadPlugins } from '../../../../dist/src/edge/plugins/plugin-loader.js';

process.on('message', (dataDir) => void load(dataDir));

async function load(dataDir) {
  delete globalThis.trace;
  const outcome = await loadPlugins(dataDir, 1_000).then(
    (plugins) => ({ plugins: plugins.map(({ path, hooks }) => ({ path, hooks: hooks.length })) }),
    (error) => ({ name: error.name, message: error.message }),
  );
  process.send({ ...outcome, trace: globalThis.trace ?? [] });
}
