import { readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  hookFault,
  type HookDeclaration,
  declareHook,
  type HookOptions,
  type HookPhase,
} from '../../identity/records/record-hooks.decorators.js';
import { assertDefinedErrors, type DefinedError, defineError } from '../../kernel/errors/define-error.js';
import { TimeLimitError, withTimeLimit } from '../../kernel/time-limit.js';
import type { PreUserRegisterHook } from '../../identity/registration-policy/registration-input.types.js';
import { PluginError } from './plugin.errors.js';
import type { Plugin, PluginApp } from './plugin.types.js';

export interface LoadedPlugin {
  /** Path relative to the data directory: `plugins/<name>/plugin.js` or `plugin.mjs`. */
  readonly path: string;
  readonly hooks: readonly PreUserRegisterHook[];
  readonly recordHooks: readonly PluginRecordHook[];
}

export interface PluginRecordHook extends HookDeclaration {
  readonly run: (event: never) => unknown;
}

/** Time limit for loading a plugin, and again for its registration. */
const TIME_LIMIT_MS = 10_000;
/** A plugin has one of these files, not both. */
const FILES = ['plugin.js', 'plugin.mjs'] as const;
/** Node's messages for a module that it parses as CommonJS. */
const READ_AS_COMMONJS = /Unexpected token 'export'|Cannot use import statement|await is only valid/;
const NO_PLUGIN = /^(\.|node_modules$)/;

/**
 * Loads `$DATA_DIR/plugins/<name>/plugin.js` or `plugin.mjs`, one after another in alphabetical order. Each folder there is a plugin,
 * except hidden ones and `node_modules`.
 *
 * @throws PluginError with the first plugin that cannot be loaded.
 */
export async function loadPlugins(dataDir: string, limitMs = TIME_LIMIT_MS): Promise<readonly LoadedPlugin[]> {
  const plugins: LoadedPlugin[] = [];
  for (const name of await listPlugins(join(dataDir, 'plugins')))
    plugins.push(await loadPlugin(dataDir, name, limitMs));
  return plugins;
}

async function listPlugins(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw new PluginError('plugins', `the folder cannot be read (${error.code})`, { cause: error });
  });
  const candidates = names.filter((name) => !NO_PLUGIN.test(name)).sort();
  const folders = await Promise.all(candidates.map((name) => isFolder(join(folder, name))));
  return candidates.filter((_, index) => folders[index]);
}

/**
 * Symbolic links are followed, because a plugin may be mounted. An unreadable entry counts as a folder, so that loading it reports the
 * error.
 */
async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isDirectory() ?? true;
}

async function loadPlugin(dataDir: string, name: string, limitMs: number): Promise<LoadedPlugin> {
  const folder = join(dataDir, 'plugins', name);
  const files = await Promise.all(FILES.map((file) => stat(join(folder, file)).catch(() => null)));
  const [file = FILES[0], other] = FILES.filter((_, index) => files[index] !== null);
  const path = `plugins/${name}/${file}`;
  try {
    if (other !== undefined) throw new Error(`${other} exists next to it. Keep one of them`);
    const register = await importPlugin(join(folder, file), limitMs);
    return { path, ...(await collectHooks(register, limitMs)) };
  } catch (error) {
    const reason = (await commonJsReason(error, join(folder, file), dataDir)) ?? reasonOf(error);
    throw new PluginError(path, reason, { cause: error });
  }
}

/** Returns the reason if Node parses the file as CommonJS because of its `package.json`; otherwise null. */
async function commonJsReason(error: unknown, file: string, dataDir: string): Promise<string | null> {
  if (!(error instanceof SyntaxError) || !READ_AS_COMMONJS.test(error.message)) return null;
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    const text = await readFile(join(folder, 'package.json'), 'utf8').catch(() => null);
    if (text === null) continue;
    if ((JSON.parse(text) as { type?: unknown }).type === 'module') return null;
    const description = relative(dataDir, join(folder, 'package.json'));
    return `${description} makes it CommonJS. Rename it to plugin.mjs, or add a package.json with {"type": "module"} next to it`;
  }
  return null;
}

async function importPlugin(file: string, limitMs: number): Promise<Plugin> {
  if ((await stat(file).catch(() => null)) === null) throw new Error('the file does not exist');
  const module = (await withTimeLimit(limitMs, () => import(pathToFileURL(file).href))) as { default?: unknown };
  if (module.default === undefined) throw new Error('it has no default export');
  if (typeof module.default !== 'function') throw new Error('its default export is not a function');
  return module.default as Plugin;
}

async function collectHooks(register: Plugin, limitMs: number): Promise<Omit<LoadedPlugin, 'path'>> {
  const hooks: PreUserRegisterHook[] = [];
  const recordHooks: PluginRecordHook[] = [];
  const errors: DefinedError[] = [];
  let open = true;
  const assertHook = (name: string, hook: unknown): void => {
    if (!open) throw new Error(`${name} can be called only while the plugin loads`);
    if (typeof hook !== 'function') throw new TypeError(`${name} requires a function`);
  };
  const registrar =
    (name: string, phase: HookPhase) =>
    (schema: string, run: PluginRecordHook['run'], options: HookOptions = {}): void => {
      assertHook(name, run);
      if (typeof schema !== 'string') throw new TypeError(`the first argument of ${name} must be the name of a schema`);
      const declaration = declareHook(phase, schema, options);
      const fault = hookFault(declaration);
      if (fault !== null) throw new TypeError(`${name} of ${schema}: ${fault}`);
      recordHooks.push({ ...declaration, run });
    };
  const app: PluginApp = {
    onPreUserRegister: (hook) => {
      assertHook('onPreUserRegister', hook);
      hooks.push(hook);
    },
    beforeWrite: registrar('beforeWrite', 'before'),
    afterWrite: registrar('afterWrite', 'after'),
    afterCommit: registrar('afterCommit', 'commit'),
    defineError: (code, row) => {
      const error = defineError(code, row);
      errors.push(error);
      assertDefinedErrors(errors);
      return error;
    },
  };
  try {
    await withTimeLimit(limitMs, () => register(Object.freeze(app)));
  } finally {
    open = false;
  }
  return { hooks, recordHooks };
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return `it throws ${String(error)}`;
  const plain = error.name === 'Error' || error instanceof TimeLimitError;
  return plain ? error.message : `${error.name}: ${error.message}`;
}
