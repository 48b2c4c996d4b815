import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable, Module } from '@nestjs/common';
import type {
  AfterCommitEvent,
  AfterWriteEvent,
  BeforeWriteEvent,
  RecordEvent,
} from '../../src/identity/records/record-event.types.js';
import { AfterCommit, AfterWrite, BeforeWrite } from '../../src/identity/records/record-hooks.decorators.js';
import { AppError } from '../../src/kernel/errors/app-error.js';
import type { AccountPrincipal } from '../../src/kernel/principal.types.js';
import { personWith } from './content-fixture.js';
import { signedIn } from './people.js';
import { field, relation, schema } from './schema-definitions.js';
import type { TestApp } from './test-app.js';
import type { TestClient } from './test-client.js';

type Json = Record<string, unknown>;

const LIBRARY = [
  schema('shelf', [relation('books', 'book', 'shelf', 'o2m', { owner: true })], {
    namespace: 'shelves',
    disable_timestamp: true,
  }),
  schema('book', [
    field('string', 'note', { optional: true, size: 20 }),
    field('int', 'rank', { default: 0 }),
    field('time', 'read_at', { optional: true }),
    field('json', 'meta', { optional: true }),
    relation('shelf', 'shelf', 'books', 'm2o', { on_delete: 'set_null' }),
    relation('pages', 'page', 'book', 'o2m', { owner: true }),
    relation('tags', 'tag', 'books', 'm2m', { owner: true }),
  ]),
  schema('page', [relation('book', 'book', 'pages', 'm2o', { on_delete: 'cascade' })]),
  schema('tag', [relation('books', 'book', 'tags', 'm2m')]),
];

export const hooks = {
  received: [] as string[],
  before: (_event: BeforeWriteEvent): unknown => undefined,
  after: (_event: AfterWriteEvent): unknown => undefined,
  committed: (_event: AfterCommitEvent): unknown => undefined,
};

function note(
  phase: string,
  { schema: name, operation }: Pick<RecordEvent, 'schema' | 'operation'>,
  values: Readonly<Json> | null,
): void {
  hooks.received.push(`${phase} ${operation} ${name} ${String(values?.['title'])}`);
}

@Injectable()
class Librarian {
  @BeforeWrite('book')
  @BeforeWrite('page')
  before(event: BeforeWriteEvent): unknown {
    note('before', event, event.before ?? event.values);
    return hooks.before(event);
  }

  @AfterWrite('book')
  @AfterWrite('page')
  after(event: AfterWriteEvent): unknown {
    note('after', event, event.before ?? event.after);
    return hooks.after(event);
  }

  @AfterCommit('book')
  @AfterCommit('page')
  committed(event: AfterCommitEvent): unknown {
    note('commit', event, event.before ?? event.after);
    return hooks.committed(event);
  }
}

@Module({ providers: [Librarian, { provide: 'ALIAS', useExisting: Librarian }] })
export class LibraryModule {}

/** The library through the API, with all received hook events. */
export class Library {
  private constructor(
    private readonly app: TestApp,
    readonly root: TestClient,
  ) {}

  static async make(app: TestApp): Promise<Library> {
    const root = app.as((await signedIn(app, { roles: ['admin'] })).token);
    await root.post('/api/schema?back_refs=create', { schemas: LIBRARY }).expect(201);
    return new Library(app, root);
  }

  async reset(): Promise<void> {
    hooks.before = hooks.after = hooks.committed = () => undefined;
    const tables = ['pages', 'books_tags', 'books', 'shelves', 'tags'];
    await this.app.sql(tables.map((table) => `DELETE FROM ${table}`).join(';'));
    hooks.received = [];
  }

  async post(name: string, body: unknown): Promise<Json> {
    const answer = await this.root.post(`/api/content/${name}`, body).expect(201);
    return (answer.body as { data: Json }).data;
  }

  /** Creates one or more records, discards their hook events, and returns the id of a single one. */
  async make(name: string, body: Json | readonly Json[]): Promise<string> {
    const made = String((await this.post(name, body))['id']);
    await this.settled();
    hooks.received = [];
    return made;
  }

  /** Waits for the after-commit hooks. */
  async settled(): Promise<void> {
    for (let turn = 0; turn < 20; turn += 1) await nextTurn();
  }

  /** Expects exactly one event per phase for each write since the last check. */
  async expectEventsOnce(...writes: readonly string[]): Promise<void> {
    await this.settled();
    const each = writes.flatMap((one) => ['before', 'after', 'commit'].map((phase) => `${phase} ${one}`));
    expect(hooks.received.toSorted()).toEqual(each.toSorted());
    hooks.received = [];
  }

  async titles(): Promise<readonly string[]> {
    const rows = await this.app.sql<{ title: string }>('SELECT title FROM books ORDER BY title');
    return rows.map(({ title }) => title);
  }
}

export function filtered(value: unknown): string {
  return `filter=${encodeURIComponent(JSON.stringify(value))}`;
}

export async function refusal(work: Promise<unknown>): Promise<AppError> {
  const error: unknown = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(AppError);
  return error as AppError;
}

/** Creates a user with exactly these permissions, with client and principal. */
export async function somebodyWith(
  app: TestApp,
  permissions: readonly { resource: string; value: string }[],
): Promise<{ client: TestClient; principal: AccountPrincipal }> {
  const { client, id, name } = await personWith(app, permissions);
  const [role] = await app.sql<{ id: string }>('SELECT id FROM roles WHERE name = $1', [name]);
  const principal = { kind: 'account', userId: id, sessionId: '', email: '', roleIds: [role?.id ?? ''] } as const;
  return { client, principal };
}
