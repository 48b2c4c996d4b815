/** Texts of the files that `lintel init` writes. `NAME` is replaced with the name of the application. */

export const README = `# NAME

A backend on [Lintel](node_modules/lintel/README.md). \`src/definition.ts\` lists the modules, \`schemas\` defines the tables.

\`\`\`sh
npm test                                                  # on a separate database
npm start                                                 # at http://localhost:8000
node dist/main.js admin:create --email you@example.com    # while it runs, or before
node dist/main.js --help
\`\`\`

pnpm and yarn work the same way. To change settings, copy lines of \`.env.example\` to \`.env\`. The image of the \`Dockerfile\` keeps its data in \`/data\`:

\`\`\`sh
docker build -t NAME .
docker run -p 8000:8000 -v NAME-data:/data --env-file .env NAME
\`\`\`

Production needs an \`APP_KEY\`, and \`MAIL_URL\` where mails are sent.
\`file-type\` is set to version 21, because the version that Nest 12 requires does not support Node 20. Remove \`overrides\` and \`resolutions\` if you do not use Node 20.
`;

export const AGENTS = `# Instructions for coding agents

- This application uses Lintel, a schema-driven backend for NestJS and PostgreSQL. Its documentation is in \`node_modules/lintel/docs\`; start with
  \`index.md\`. Modules, hooks, routes and tests are in \`guides/extending\`, tables in \`guides/data/schemas.md\`.
- \`npm test\` compiles and runs the tests on a separate database. Nothing has to be installed or started for it.
- Add a table: a file in \`schemas/\`. Its REST API is \`/api/content/{namespace}\`. No role may use it until \`src/definition.ts\` grants it.
- Add a route: a controller in a module that \`src/definition.ts\` lists. Each route needs \`@Resource('…')\` or \`@Public()\`.
- Add a test: \`src/<name>.test.ts\`.
- The code is ES modules: imports of own files end with \`.js\`.
- Import from \`lintel\`, \`lintel/testing\`, \`lintel/guards\` and \`lintel/plugin\` only.
`;

export const DOCKERFILE = `# docker build -t NAME .

FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci
COPY . .
RUN npm run build && npm prune --omit=dev

FROM node:24-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8000 DATA_DIR=/data
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY --from=build /app/schemas schemas
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \\
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/readyz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/main.js"]
`;

export const MAIN = `import { run } from 'lintel';
import { definition } from './definition.js';

await run(definition);
`;

export const DEFINITION = `import { defineApp } from 'lintel';
import { NotesModule } from './notes.module.js';

/** The modules, schemas and roles of this application, for its server, its command line and its tests. */
export const definition = defineApp({
  modules: [NotesModule],
  schemas: [new URL('../schemas/', import.meta.url)],
  roles: [{ role: 'user', allow: ['content.note.*'] }],
});
`;

export const NOTES = `import { Controller, Get, Injectable, Module } from '@nestjs/common';
import { type AccountPrincipal, BeforeWrite, type BeforeWriteEvent, CurrentAccount, Resource } from 'lintel';

@Controller('api/hello')
class HelloController {
  /** Open to every account: resources that begin with \`auth.\` are open to all accounts. */
  @Get()
  @Resource('auth.hello')
  hello(@CurrentAccount() account: AccountPrincipal): { hello: string } {
    return { hello: account.email };
  }
}

@Injectable()
class NoteHooks {
  /** Runs before each note is written: by the API, an import or code. */
  @BeforeWrite('note', { on: ['create', 'update'] })
  tidy({ values }: BeforeWriteEvent): void {
    if (typeof values['title'] === 'string') values['title'] = values['title'].trim();
  }
}

@Module({ controllers: [HelloController], providers: [NoteHooks] })
export class NotesModule {}
`;

export const TEST = `import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from 'lintel/testing';
import { definition } from './definition.js';

let app: TestApp;
before(async () => {
  app = await testApp(definition);
});
after(() => app.close());

test('greets signed-in accounts only', async () => {
  const { email, token } = await app.account();
  assert.deepEqual(await (await app.fetch('/api/hello', { token })).json(), { hello: email });
  assert.equal((await app.fetch('/api/hello')).status, 401);
});

test('trims titles of notes', async () => {
  const { token } = await app.account();
  const created = await app.fetch('/api/content/notes', { token, json: { title: '  soup ' } });
  assert.equal(created.status, 201);
  const { data } = (await created.json()) as { data: { title: string } };
  assert.equal(data.title, 'soup');
});
`;
