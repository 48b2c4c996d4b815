/** Members that a new application takes over from the description of the package. */
export interface PackageDescription {
  readonly version: string;
  readonly engines: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly overrides: Readonly<Record<string, unknown>>;
}

/** Packages that npm would bring in versions, or at all, that the service does not want (docs/package.md). */
const OVERRIDES = ['cookie', 'file-type', '@fastify/static', 'preview-email'];

/**
 * Returns the files of a small application, by their names: a route, a schema with a hook, a permission, a test.
 *
 * @param source the package as npm finds it.
 */
export function initialFiles(name: string, lintel: PackageDescription, source: string): Record<string, string> {
  const { '@nestjs/common': common = '' } = lintel.peerDependencies;
  const { '@types/node': types = '', typescript = '' } = lintel.devDependencies;
  const description = {
    name,
    version: '0.1.0',
    private: true,
    type: 'module',
    engines: lintel.engines,
    scripts: { build: 'tsc', start: 'tsc && node dist/main.js', test: 'tsc && node --test dist/*.test.js' },
    dependencies: { '@nestjs/common': common, lintel: source },
    devDependencies: { '@types/node': types, typescript },
    overrides: Object.fromEntries(OVERRIDES.map((one) => [one, lintel.overrides[one]])),
  };
  return {
    'package.json': `${JSON.stringify(description, null, 2)}\n`,
    'tsconfig.json': `${JSON.stringify({ compilerOptions: COMPILER, include: ['src'] }, null, 2)}\n`,
    '.gitignore': 'node_modules/\ndist/\ndata/\n.env\n',
    'README.md': README.replace('NAME', name),
    'schemas/note.json': `${JSON.stringify(NOTE, null, 2)}\n`,
    'src/main.ts': MAIN,
    'src/definition.ts': DEFINITION,
    'src/notes.module.ts': NOTES,
    'src/notes.test.ts': TEST,
  };
}

const COMPILER = {
  target: 'ES2023',
  module: 'nodenext',
  strict: true,
  noUncheckedIndexedAccess: true,
  experimentalDecorators: true,
  emitDecoratorMetadata: true,
  skipLibCheck: true,
  types: ['node'],
  rootDir: 'src',
  outDir: 'dist',
};

const NOTE = {
  name: 'note',
  namespace: 'notes',
  label_field: 'title',
  fields: [{ type: 'string', name: 'title' }],
};

const README = `# NAME

A backend on [Lintel](node_modules/lintel/README.md): \`src/definition.ts\` says what it adds, \`schemas\` what it keeps.

\`\`\`sh
npm test                                                  # on a database of its own
npm start                                                 # at http://localhost:8000
node dist/main.js admin:create --email you@example.com    # beside it, or without it
node dist/main.js --help
\`\`\`
`;

const MAIN = `import { run } from 'lintel';
import { definition } from './definition.js';

await run(definition);
`;

const DEFINITION = `import { defineApp } from 'lintel';
import { NotesModule } from './notes.module.js';

/** Definition of what this application adds to Lintel, for its server, its command line and its tests. */
export const definition = defineApp({
  modules: [NotesModule],
  schemas: [new URL('../schemas/', import.meta.url)],
  roles: [{ role: 'user', allow: ['content.note.*'] }],
});
`;

const NOTES = `import { Controller, Get, Injectable, Module } from '@nestjs/common';
import { type AccountPrincipal, BeforeWrite, type BeforeWriteEvent, CurrentAccount, Resource } from 'lintel';

@Controller('api/hello')
class HelloController {
  /** Answers every account: resources that begin with \`auth.\` are open to it. */
  @Get()
  @Resource('auth.hello')
  hello(@CurrentAccount() account: AccountPrincipal): { hello: string } {
    return { hello: account.email };
  }
}

@Injectable()
class NoteHooks {
  /** Runs before each note is written, however it comes. */
  @BeforeWrite('note', { on: ['create', 'update'] })
  tidy({ values }: BeforeWriteEvent): void {
    if (typeof values['title'] === 'string') values['title'] = values['title'].trim();
  }
}

@Module({ controllers: [HelloController], providers: [NoteHooks] })
export class NotesModule {}
`;

const TEST = `import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from 'lintel/testing';
import { definition } from './definition.js';

let app: TestApp;
before(async () => {
  app = await testApp(definition);
});
after(() => app.close());

test('says hello to accounts alone', async () => {
  const { email, token } = await app.account();
  assert.deepEqual(await (await app.fetch('/api/hello', { token })).json(), { hello: email });
  assert.equal((await app.fetch('/api/hello')).status, 401);
});

test('keeps notes tidy', async () => {
  const { token } = await app.account();
  const made = await app.fetch('/api/content/notes', { token, json: { title: '  soup ' } });
  assert.equal(made.status, 201);
  const { data } = (await made.json()) as { data: { title: string } };
  assert.equal(data.title, 'soup');
});
`;
