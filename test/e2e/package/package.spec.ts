import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { COMPILER } from '../../support/own-application.js';
import { installPacked, runIn, writeFiles } from '../../support/packed-package.mjs';
import { newcomer, signIn, signUp } from '../../support/service-users.js';
import { readPage } from '../../support/shell-page.js';
import { useServiceHome } from '../../support/service-home.js';

jest.setTimeout(300_000);

const MODULE = `import { Body, Controller, Get, Module, Post } from '@nestjs/common';
import { IsInt, Min } from 'class-validator';
import { type AccountPrincipal, CurrentAccount, Public, RateLimit, Resource } from 'lintel';

class OrderDto {
  @IsInt()
  @Min(1)
  soups!: number;
}

@Controller('api/acme/orders')
class OrdersController {
  @Post()
  @Public()
  @RateLimit('general')
  order(@Body() { soups }: OrderDto): { soups: number } {
    return { soups };
  }

  @Get('mine')
  @Resource('auth.acme.orders')
  mine(@CurrentAccount() account: AccountPrincipal): { of: string } {
    return { of: account.email };
  }
}

@Module({ controllers: [OrdersController] })
export class OrdersModule {}
`;
const DEFINITION = `import { defineApp } from 'lintel';
import { OrdersModule } from './orders.module.js';

export const definition = defineApp({ modules: [OrdersModule] });
`;
const MAIN = `import { defineApp, run } from 'lintel';
import { OrdersModule } from './orders.module.js';

await run(defineApp({ modules: [OrdersModule] }));
`;
/** A CommonJS module has no top-level await, and usually calls `listen` itself. */
const COMMONJS_MAIN = `import { createApp, defineApp } from 'lintel';
import { OrdersModule } from './orders.module.js';

async function main(): Promise<void> {
  const application = await createApp(defineApp({ modules: [OrdersModule] }), { ...process.env, LOG_LEVEL: 'warn' });
  const url = await application.listen({ host: '127.0.0.1', port: 0 });
  const body = JSON.stringify({ soups: 2 });
  const response = await fetch(\`\${url}/api/acme/orders\`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  console.log(await response.text());
  await application.close();
}

void main();
`;
const PEERS = ['@nestjs/common', '@nestjs/core', 'reflect-metadata', 'rxjs', 'typeorm'];
/** A peer that npm does not install automatically. */
const OPTIONAL_PEERS = ['sharp'];
/** Path of the compiler that is written in JavaScript. The native compiler accepts the same code in a tenth of the time. */
const TYPESCRIPT_6 = 'node_modules/typescript/bin/tsc';
/** The strictest settings of the compiler, which also check our own declarations. */
const STRICT = {
  target: 'ES2023',
  module: 'nodenext',
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  experimentalDecorators: true,
  emitDecoratorMetadata: true,
  skipLibCheck: false,
  types: ['node'],
  rootDir: 'src',
  outDir: 'dist',
};
const tsconfig = (more: object = {}): string =>
  JSON.stringify({ compilerOptions: { ...STRICT, ...more }, include: ['src'] });

describe('the package, installed outside of the repository', () => {
  const place = useServiceHome({ embedded: true });
  const inPackage = (name: string): string => join(place.home.directory, 'node_modules/lintel', name);

  beforeAll(async () => {
    await installPacked(place.home.directory, [
      'typescript',
      '@types/node',
      'vitest',
      'jest',
      '@swc/core',
      '@swc/jest',
    ]);
  });

  it('exports only what it documents', async () => {
    const names = ['lintel/app.module.js', 'lintel/dist/src/app.module.js', 'lintel/identity/users/users.service.js'];
    const importScript = `for (const name of ${JSON.stringify(names)}) await import(name).catch(({ code }) => console.log(code));`;
    const { output } = await runIn(place.home.directory, 'node', '--input-type=module', '-e', importScript);
    expect(output).toBe('ERR_PACKAGE_PATH_NOT_EXPORTED\n'.repeat(3));
  });

  it('has a command that prints its version', async () => {
    const { version } = JSON.parse(readFileSync(inPackage('package.json'), 'utf8')) as { version: string };
    const answer = { code: 0, output: `${version}\n` };
    expect(await runIn(place.home.directory, 'node_modules/.bin/lintel', '--version')).toEqual(answer);
  });

  it('compiles an application under the strictest settings, which runs', async () => {
    const { directory } = place.home;
    writeFiles(directory, { 'src/main.ts': MAIN, 'src/orders.module.ts': MODULE, 'tsconfig.json': tsconfig() });
    expect(await runIn(directory, 'node', TYPESCRIPT_6)).toEqual({ code: 0, output: '' });
    const service = await place.home.start({ program: join(directory, 'dist/main.js') });
    const person = newcomer();
    await signUp(service, person);
    const mine = await service.get('/api/acme/orders/mine', await signIn(service, person));
    expect(mine).toMatchObject({ status: 200, body: { of: person.email } });
    expect((await service.post('/api/acme/orders', { soups: 0 })).body).toMatchObject({
      data: { error: 'validation_failed' },
    });
    expect((await fetch(`${service.url}/dash/`)).status).toBe(200);
    expect(await service.stop()).toEqual({ code: 0, signal: null });
  });

  it('generates an application that runs and passes its own tests', async () => {
    const { directory } = place.home;
    const { code, output } = await runIn(directory, 'node_modules/.bin/lintel', 'init', 'my-app');
    expect({ code, output }).toMatchObject({ code: 0, output: expect.stringContaining('  npm install\n') as string });
    const manifest = JSON.parse(readFileSync(join(directory, 'my-app/package.json'), 'utf8')) as object;
    expect(manifest).toMatchObject({
      dependencies: { '@nestjs/common': expect.stringMatching(/^\^12\./) as string, lintel: '^0.2.0-rc.1' },
      overrides: { 'file-type': '^21.3.4' },
      resolutions: { 'file-type': '^21.3.4' },
    });
    const { dependencies } = manifest as { dependencies: Record<string, string> };
    expect(Object.keys(dependencies).sort()).toEqual([...PEERS, 'lintel'].sort());
    const files = ['.dockerignore', '.env.example', '.yarnrc.yml', 'AGENTS.md', 'Dockerfile'];
    expect(readdirSync(join(directory, 'my-app'))).toEqual(expect.arrayContaining(files));
    // The scripts of the application find this compiler before the one in the parent directory.
    mkdirSync(join(directory, 'my-app/node_modules/.bin'), { recursive: true });
    symlinkSync(COMPILER, join(directory, 'my-app/node_modules/.bin/tsc'));
    const tested = await runIn(join(directory, 'my-app'), 'npm', 'test');
    expect(tested.output).toMatch(/^(#|ℹ) pass 2$/m);
    expect(tested.code).toBe(0);
    // The files that the page adds next.
    const page = readPage('guides/extending/typescript-app.md').split('\n## ')[1]!;
    const steps = [...page.matchAll(/```ts\n\/\/ (my-app\/\S+)\n(.*?)```/gs)].map(([, file, text]) => [file!, text!]);
    const ticket = /`(schemas\/ticket\.json)`.*?```json\n(.*?)```/s.exec(page)!;
    expect(steps.map(([file]) => file)).toEqual([
      'my-app/src/tickets.module.ts',
      'my-app/src/definition.ts',
      'my-app/src/tickets.test.ts',
    ]);
    writeFiles(directory, { ...Object.fromEntries(steps), [`my-app/${ticket[1]}`]: ticket[2]! });
    const again = await runIn(join(directory, 'my-app'), 'npm', 'test');
    expect(again.output).toMatch(/^(#|ℹ) pass 3$/m);
    expect(again.code).toBe(0);
    const service = await place.home.start({ program: join(directory, 'my-app/dist/main.js') });
    const person = newcomer();
    await signUp(service, person);
    const note = await service.post('/api/content/notes', { title: ' soup ' }, await signIn(service, person));
    expect(note).toMatchObject({ status: 201, body: { data: { title: 'soup' } } });
    expect(await service.stop()).toEqual({ code: 0, signal: null });
  });

  it.each([
    ['my-app', 'my-app already exists and is not empty. Specify a new directory.\n'],
    ['My App', 'My App is not a valid package name. Use lower-case letters, digits, dots, hyphens and underscores.\n'],
  ])('writes nothing into %j', async (name, sentence) => {
    const before = readdirSync(place.home.directory);
    const answer = await runIn(place.home.directory, 'node_modules/.bin/lintel', 'init', name);
    expect(answer).toEqual({ code: 1, output: sentence });
    expect(readdirSync(place.home.directory)).toEqual(before);
  });

  it('runs inside a CommonJS host', async () => {
    const directory = join(place.home.directory, 'commonjs');
    writeFiles(directory, {
      'package.json': '{"type":"commonjs"}',
      'tsconfig.json': tsconfig({ skipLibCheck: true }),
      'src/main.ts': COMMONJS_MAIN,
      'src/orders.module.ts': MODULE,
    });
    expect(await runIn(directory, 'node', COMPILER)).toEqual({ code: 0, output: '' });
    expect(readFileSync(join(directory, 'dist/main.js'), 'utf8')).toContain('require("lintel")');
    expect(await runIn(directory, 'node', 'dist/main.js')).toEqual({ code: 0, output: '{"soups":2}\n' });
  });

  describe('runs tests as documented in docs/guides/extending/testing.md, with', () => {
    const set = (heading: string): string => {
      const directory = join(place.home.directory, heading.replace(':', '-'));
      const [section = ''] = readPage('guides/extending/testing.md').split(`\n## ${heading}\n`).slice(1);
      const blocks = [...section.split('\n## ')[0]!.matchAll(/```[jt]s\n\/\/ (\S+)\n(.*?)```/gs)];
      writeFiles(directory, {
        'package.json': '{"type":"module"}',
        'tsconfig.json': tsconfig({ skipLibCheck: true }),
        'src/definition.ts': DEFINITION,
        'src/orders.module.ts': MODULE,
        ...Object.fromEntries(blocks.map(([, name, text]) => [name!, text!])),
      });
      return directory;
    };
    const program = (name: string): string => join(place.home.directory, 'node_modules', name);

    it('node:test', async () => {
      const directory = set('node:test');
      expect(await runIn(directory, 'node', COMPILER)).toEqual({ code: 0, output: '' });
      const { code, output } = await runIn(directory, 'node', '--test', 'dist/orders.test.js');
      expect(output).toMatch(/^(#|ℹ) pass 2$/m);
      expect(code).toBe(0);
    });

    it.each([
      ['Vitest', 'vitest/vitest.mjs', 'run'],
      ['Jest', 'jest/bin/jest.js', '--ci'],
    ])('%s', async (heading, path, argument) => {
      const { code, output } = await runIn(set(heading), 'node', program(path), argument);
      expect(output).toMatch(/Tests:? .*1 passed/);
      expect(code).toBe(0);
    });
  });

  it('rejects a host with another Nest version during the installation', async () => {
    const description = JSON.parse(readFileSync(inPackage('package.json'), 'utf8')) as {
      version: string;
      peerDependencies: Record<string, string>;
      peerDependenciesMeta: Record<string, { optional: boolean }>;
    };
    const { version, peerDependencies, peerDependenciesMeta } = description;
    expect(Object.keys(peerDependencies).sort()).toEqual([...PEERS, ...OPTIONAL_PEERS].sort());
    expect(peerDependenciesMeta).toEqual(Object.fromEntries(OPTIONAL_PEERS.map((name) => [name, { optional: true }])));
    const directory = join(place.home.directory, 'nest-11');
    // The error of npm depends only on our package.json. Without our dependencies, npm does not need to resolve them.
    writeFiles(directory, {
      'lintel/package.json': JSON.stringify({ name: 'lintel', version, peerDependencies, peerDependenciesMeta }),
      'package.json': JSON.stringify({ dependencies: { '@nestjs/common': '11', lintel: 'file:lintel' } }),
    });
    const args = ['install', '--dry-run', '--install-links', '--prefer-offline', '--no-audit'];
    const { code, output } = await runIn(directory, 'npm', ...args);
    expect(output).toMatch(/peer @nestjs\/common@"\^12[^"]*" from lintel@/);
    expect(code).toBe(1);
  });
});
