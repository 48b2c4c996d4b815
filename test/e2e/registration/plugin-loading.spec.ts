import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { builtProduct } from '../../support/service.js';
import { dataDirectory, removeDataDirectories } from './support/data-directory.js';

interface Outcome {
  readonly plugins?: readonly { readonly path: string; readonly hooks: number }[];
  readonly name?: string;
  readonly message?: string;
  readonly trace: readonly string[];
}

let loader: ChildProcess;

/** Loads the plugins in a separate process, with the module system of the product. No two tests load the same files. */
async function load(dataDir: string): Promise<Outcome> {
  loader.send(dataDir);
  const [outcome] = (await once(loader, 'message')) as [Outcome];
  return outcome;
}

const traced = (word: string) => `(globalThis.trace ??= []).push('${word}');`;

describe('loading plugins', () => {
  beforeAll(() => {
    expect(builtProduct()).toBeDefined();
    loader = fork(join(__dirname, 'support/load-plugins.mjs'));
  });
  afterAll(() => {
    loader.kill('SIGKILL');
    removeDataDirectories();
  });

  it('does nothing without plugins', async () => {
    expect(await load(dataDirectory())).toEqual({ plugins: [], trace: [] });
    expect(await load(dataDirectory({ 'plugins/README.md': 'text' }))).toEqual({ plugins: [], trace: [] });
  });

  it('loads them in alphabetical order, in sequence', async () => {
    const wait = 'await new Promise((resolve) => setTimeout(resolve, 50));';
    const dataDir = dataDirectory({
      'plugins/b/plugin.js': `${traced('b loads')} export default (app) => { app.onPreUserRegister(() => {}); };`,
      'plugins/a/plugin.js': `${wait} ${traced('a loads')}
        export default async function (app) { ${wait} ${traced('a registers')}
          app.onPreUserRegister(() => {}); app.onPreUserRegister(async () => {}); }`,
      'plugins/c/plugin.js': `import { word } from './lib/word.js'; export default () => { (globalThis.trace ??= []).push(word); };`,
      'plugins/c/lib/word.js': `export const word = 'c has files of its own';`,
    });
    expect(await load(dataDir)).toEqual({
      plugins: [
        { path: 'plugins/a/plugin.js', hooks: 2 },
        { path: 'plugins/b/plugin.js', hooks: 1 },
        { path: 'plugins/c/plugin.js', hooks: 0 },
      ],
      trace: ['a loads', 'a registers', 'b loads', 'c has files of its own'],
    });
  });

  it('skips files, hidden folders and node_modules, and follows links', async () => {
    const dataDir = dataDirectory({
      'elsewhere/plugin.js': 'export default () => {};',
      'plugins/.git/config': '',
      'plugins/node_modules/x/index.js': '',
      'plugins/package.json': '{"type": "module"}',
    });
    symlinkSync(join(dataDir, 'elsewhere'), join(dataDir, 'plugins/linked'), 'dir');
    expect((await load(dataDir)).plugins).toEqual([{ path: 'plugins/linked/plugin.js', hooks: 0 }]);
  });

  it.each([
    ['a syntax error', 'export default (app) => { const x = ; };', /: SyntaxError: /],
    ['no default export', 'export const onPreUserRegister = () => {};', /: it has no default export\.$/],
    ['nothing in it', '', /: (it has no default export|its default export is not a function)\.$/],
    [
      'a default export that is an object',
      'export default { register() {} };',
      /: its default export is not a function/,
    ],
    ['a default export that is null', 'export default null;', /: its default export is not a function/],
    ['a fault while it is read', 'throw new Error("no licence"); export default () => {};', /: no licence\.$/],
    ['a fault while it registers', 'export default () => { undefined.x; };', /: TypeError: Cannot read/],
    ['a promise that is rejected', 'export default async () => { throw new Error("no licence"); };', /: no licence\.$/],
    ['thrown text', 'export default () => { throw "no licence"; };', /: it throws no licence\.$/],
    ['a missing import', 'import "./nope.js"; export default () => {};', /Cannot find module/],
    [
      'a hook that is not a function',
      'export default (app) => { app.onPreUserRegister("x"); };',
      /requires a function/,
    ],
    [
      'a hook without a schema',
      'export default (app) => { app.beforeWrite(() => {}); };',
      /beforeWrite requires a function/,
    ],
    [
      'an unknown operation',
      'export default (app) => { app.afterWrite("order", () => {}, { on: ["destroy"] }); };',
      /afterWrite of order: its on must list some of create, update, delete, restore/,
    ],
    [
      'an error of the service',
      'export default (app) => { app.defineError("token_missing", { status: 400, message: "x" }); };',
      /token_missing/,
    ],
    [
      'an error that cannot be answered',
      'export default (app) => { app.defineError("Acme", { status: 200, message: "" }); };',
      /The error Acme must consist of [^.]*\.$/,
    ],
    ['an unknown event', 'export default (app) => { app.onPostUserRegister(() => {}); };', /not a function/],
  ])('names the plugin with %s, relative to the data directory', async (_, text, reason) => {
    const dataDir = dataDirectory({
      'plugins/acme/plugin.js': text,
      'plugins/zeta/plugin.js': `${traced('zeta loads')} export default () => {};`,
    });
    const { name, message, trace } = await load(dataDir);
    expect(name).toBe('PluginError');
    expect(message).toMatch(/^The plugin plugins\/acme\/plugin\.js cannot be loaded: /);
    expect(message).toMatch(reason);
    expect(trace).toEqual([]);
  });

  it('reports a folder without plugin.js, because a missing check must be noticed', async () => {
    const { message } = await load(dataDirectory({ 'plugins/acme/index.js': 'export default () => {};' }));
    expect(message).toBe('The plugin plugins/acme/plugin.js cannot be loaded: the file does not exist.');
  });

  it('reports a broken link', async () => {
    const dataDir = dataDirectory({ 'plugins/README.md': '' });
    symlinkSync(join(dataDir, 'nowhere'), join(dataDir, 'plugins/gone'), 'dir');
    expect((await load(dataDir)).message).toContain('plugins/gone/plugin.js cannot be loaded: the file does not exist');
  });

  it('loads plugin.mjs in any package type', async () => {
    const dataDir = dataDirectory({
      'package.json': '{"type": "commonjs"}',
      'plugins/a/plugin.mjs': `import { word } from './word.mjs'; export default () => { (globalThis.trace ??= []).push(word); };`,
      'plugins/a/word.mjs': `export const word = 'a of its own';`,
      'plugins/b/plugin.js': `export default (app) => { app.onPreUserRegister(() => {}); };`,
      'plugins/b/package.json': '{"type": "module"}',
    });
    expect(await load(dataDir)).toEqual({
      plugins: [
        { path: 'plugins/a/plugin.mjs', hooks: 0 },
        { path: 'plugins/b/plugin.js', hooks: 1 },
      ],
      trace: ['a of its own'],
    });
  });

  it.each([
    ['the package around the data directory', 'package.json', 'export default () => {};'],
    ['a package of its own', 'plugins/a/package.json', 'import "node:fs"; export default () => {};'],
  ])('reports how to fix a plugin.js that %s makes CommonJS', async (_, place, text) => {
    const dataDir = dataDirectory({ [place]: '{"type": "commonjs"}', 'plugins/a/plugin.js': text });
    expect((await load(dataDir)).message).toBe(
      `The plugin plugins/a/plugin.js cannot be loaded: ${place} makes it CommonJS. Rename it to plugin.mjs, or add a package.json with {"type": "module"} next to it.`,
    );
  });

  it('reports a plain language error in a CommonJS package as such', async () => {
    const dataDir = dataDirectory({ 'package.json': '{"type": "commonjs"}', 'plugins/a/plugin.js': 'const x = ;' });
    expect((await load(dataDir)).message).toContain("cannot be loaded: SyntaxError: Unexpected token ';'.");
  });

  it('does not choose between two files', async () => {
    const text = 'export default () => {};';
    const { message } = await load(dataDirectory({ 'plugins/a/plugin.js': text, 'plugins/a/plugin.mjs': text }));
    expect(message).toBe(
      'The plugin plugins/a/plugin.js cannot be loaded: plugin.mjs exists next to it. Keep one of them.',
    );
  });

  it('rejects late hooks', async () => {
    const late = `export default (app) => {
      setTimeout(() => { try { app.onPreUserRegister(() => {}); } catch (error) { globalThis.trace = [error.message]; } }, 0);
    };`;
    const next = 'await new Promise((resolve) => setTimeout(resolve, 50)); export default () => {};';
    expect(await load(dataDirectory({ 'plugins/a/plugin.js': late, 'plugins/b/plugin.js': next }))).toEqual({
      plugins: [
        { path: 'plugins/a/plugin.js', hooks: 0 },
        { path: 'plugins/b/plugin.js', hooks: 0 },
      ],
      trace: ['onPreUserRegister can be called only while the plugin loads'],
    });
  });

  it.each([
    ['read', 'await new Promise(() => {}); export default () => {};'],
    ['registered', 'export default () => new Promise(() => {});'],
  ])('does not wait forever until a plugin is %s', async (_, text) => {
    const { message } = await load(dataDirectory({ 'plugins/slow/plugin.js': text }));
    expect(message).toBe('The plugin plugins/slow/plugin.js cannot be loaded: no response within 1 seconds.');
  });
});
