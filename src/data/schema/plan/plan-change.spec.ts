import {
  applied,
  blog,
  field,
  relation,
  schema,
  snapshotOf,
  SYSTEM,
} from '../../../../test/support/schema-definitions.js';
import { initialSnapshot } from '../change/prepare-change.js';
import type { SchemaSnapshot } from '../snapshot/schema-snapshot.types.js';
import { planChange } from './plan-change.js';
import type { PlanStep, SchemaPlan } from './plan.types.js';

const owner = { owner: true };
const post = (...fields: unknown[]) => schema('post', fields, { disable_timestamp: true });
const change = (before: unknown, after: unknown) => applied(snapshotOf(before), { put: [{ json: after }] }).plan;
/** Removes the hashes of stable ids from the end of names. They do not matter here. */
const readable = (sql: string) => sql.replaceAll(/_[0-9a-f]{8}"/g, '"').replaceAll(/_[0-9a-f]{6}_v(\d+)"/g, '_v$1"');
const sqlOf = (plan: SchemaPlan) => plan.steps.flatMap((step) => step.sql.map(readable));
const step = (plan: SchemaPlan, kind: PlanStep['kind']) => plan.steps.find((candidate) => candidate.kind === kind);

describe('creating tables', () => {
  test('the blog: tables first, then indexes, then foreign keys', () => {
    const [author, profile, blogPost = {}] = blog();
    const { plan } = applied(initialSnapshot(SYSTEM), {
      put: [{ json: [author, profile, { ...blogPost, fields: (blogPost['fields'] as unknown[]).slice(0, 5) }] }],
    });
    expect(sqlOf(plan)).toEqual([
      `CREATE TABLE "authors" (
  "id" uuid NOT NULL,
  "title" varchar(255) NOT NULL,
  "email" varchar(255) NOT NULL,
  "created_at" timestamptz(3) DEFAULT now() NOT NULL,
  "updated_at" timestamptz(3) DEFAULT now() NOT NULL,
  "deleted_at" timestamptz(3),
  CONSTRAINT "pk_authors" PRIMARY KEY ("id")
)`,
      `CREATE TABLE "profiles" (
  "id" uuid NOT NULL,
  "title" varchar(255) NOT NULL,
  "bio" text,
  "author_id" uuid,
  "created_at" timestamptz(3) DEFAULT now() NOT NULL,
  "updated_at" timestamptz(3) DEFAULT now() NOT NULL,
  "deleted_at" timestamptz(3),
  CONSTRAINT "pk_profiles" PRIMARY KEY ("id")
)`,
      `CREATE TABLE "posts" (
  "id" uuid NOT NULL,
  "title" varchar(255) NOT NULL,
  "body" text,
  "status" text DEFAULT 'draft'::text NOT NULL,
  "views" bigint DEFAULT 0 NOT NULL,
  "author_id" uuid,
  "created_at" timestamptz(3) DEFAULT now() NOT NULL,
  "updated_at" timestamptz(3) DEFAULT now() NOT NULL,
  "deleted_at" timestamptz(3),
  CONSTRAINT "pk_posts" PRIMARY KEY ("id"),
  CONSTRAINT "ck_posts_status" CHECK ("status" IN ('draft', 'published')),
  CONSTRAINT "ck_posts_views" CHECK ("views" BETWEEN -9007199254740991 AND 9007199254740991)
)`,
      'CREATE UNIQUE INDEX "ux_authors_email" ON "authors" ("email") WHERE "deleted_at" IS NULL',
      'CREATE UNIQUE INDEX "ux_profiles_author_id" ON "profiles" ("author_id") WHERE "deleted_at" IS NULL',
      'CREATE INDEX "ix_posts_author_id" ON "posts" ("author_id")',
      `CREATE INDEX "ix_posts_search" ON "posts" USING gin (to_tsvector('simple', coalesce("body", '')))`,
      'ALTER TABLE "profiles" ADD CONSTRAINT "fk_profiles_author_id" FOREIGN KEY ("author_id") REFERENCES "authors" ("id") ON DELETE SET NULL ON UPDATE CASCADE',
      'ALTER TABLE "posts" ADD CONSTRAINT "fk_posts_author_id" FOREIGN KEY ("author_id") REFERENCES "authors" ("id") ON DELETE CASCADE ON UPDATE CASCADE',
    ]);
    expect(plan.losesData).toBe(false);
  });

  test('a junction, whose rows are deleted with the linked records', () => {
    const { plan } = applied(initialSnapshot(SYSTEM), { put: [{ json: blog() }] });
    const { definition } = { definition: sqlOf(plan).find((sql) => sql.startsWith('CREATE TABLE "posts_tags"')) };
    expect(definition).toMatch(/\n {2}"post_id" uuid NOT NULL,\n/);
    expect(definition).toMatch(/\n {2}"tag_id" uuid NOT NULL,\n/);
    expect(definition).toMatch(/PRIMARY KEY \("(post_id", "tag_id|tag_id", "post_id)"\)/);
    expect(sqlOf(plan).filter((sql) => sql.includes(' ON "posts_tags" ('))).toHaveLength(1);
  });

  test('fields added to a system schema, whose own fields belong to migrations', () => {
    const plan = change([], { name: 'user', fields: [field('string', 'nick', { optional: true, unique: true })] });
    expect(sqlOf(plan)).toEqual([
      'ALTER TABLE "users" ADD COLUMN "nick" varchar(255)',
      'CREATE UNIQUE INDEX "ux_users_nick" ON "users" ("nick")',
    ]);
  });
});

describe('changing columns', () => {
  test('a required column without a default checks that the table is empty', () => {
    const plan = change(post(), post(field('int32', 'x')));
    expect(plan.steps).toHaveLength(1);
    expect(plan.steps[0]).toMatchObject({
      kind: 'add_column',
      schema: 'post',
      field: 'x',
      words: 'Adds the required column "x" (integer) to "posts".',
      losesData: false,
      checks: [
        { kind: 'empty_table', countSql: 'SELECT count(*) AS "count" FROM "posts" AS "t" WHERE true' },
        { kind: 'columns', full: 'posts' },
      ],
    });
  });

  test('a required column with a default checks the row size only', () => {
    const plan = change(post(), post(field('int32', 'x', { default: 7 })));
    expect(sqlOf(plan)).toEqual(['ALTER TABLE "posts" ADD COLUMN "x" integer DEFAULT 7 NOT NULL']);
    expect(plan.steps[0]?.checks.map(({ kind }) => kind)).toEqual(['columns']);
  });

  test('a column made required checks for null, or fills in its default', () => {
    const before = post(field('string', 'x', { optional: true }));
    const bare = change(before, post(field('string', 'x')));
    expect(step(bare, 'set_not_null')?.checks[0]?.countSql).toBe(
      'SELECT count(*) AS "count" FROM "posts" AS "t" WHERE "x" IS NULL',
    );
    const filled = change(before, post(field('string', 'x', { default: "it's" })));
    expect(sqlOf(filled)).toEqual([
      `UPDATE "posts" SET "x" = 'it''s'::varchar(255) WHERE "x" IS NULL`,
      'ALTER TABLE "posts" ALTER COLUMN "x" SET NOT NULL',
      `ALTER TABLE "posts" ALTER COLUMN "x" SET DEFAULT 'it''s'::varchar(255)`,
    ]);
  });

  test('a column made optional, and a removed default', () => {
    const plan = change(post(field('int32', 'x', { default: 1 })), post(field('int32', 'x', { optional: true })));
    expect(sqlOf(plan)).toEqual([
      'ALTER TABLE "posts" ALTER COLUMN "x" DROP DEFAULT',
      'ALTER TABLE "posts" ALTER COLUMN "x" DROP NOT NULL',
    ]);
  });

  test('a column made unique checks for duplicates, and can be built without blocking writes', () => {
    const plan = change(post(field('string', 'x')), post(field('string', 'x', { unique: true })));
    const create = step(plan, 'create_index');
    expect(create?.checks[0]).toMatchObject({
      kind: 'unique',
      countSql:
        'SELECT count(*) AS "count" FROM (SELECT "x" FROM "posts" WHERE "x" IS NOT NULL GROUP BY "x" HAVING count(*) > 1) AS "repeated"',
    });
    expect(create?.concurrentSql?.map(readable)).toEqual([
      'CREATE UNIQUE INDEX CONCURRENTLY "ux_posts_x" ON "posts" ("x")',
    ]);
  });

  test('removed enum values check for their use, added ones check nothing', () => {
    const enumOf = (...values: string[]) => post(field('enum', 'x', { enums: values.map((value) => ({ value })) }));
    const fewer = change(enumOf('a', 'b'), enumOf('a'));
    expect(sqlOf(fewer)).toEqual([
      'ALTER TABLE "posts" DROP CONSTRAINT "ck_posts_x"',
      `ALTER TABLE "posts" ADD CONSTRAINT "ck_posts_x" CHECK ("x" IN ('a'))`,
    ]);
    expect(step(fewer, 'add_check')?.checks[0]?.countSql).toBe(
      `SELECT count(*) AS "count" FROM "posts" AS "t" WHERE NOT ("x" IN ('a'))`,
    );
    expect(step(change(enumOf('a'), enumOf('a', 'b')), 'add_check')?.checks).toEqual([]);
  });

  test('a dropped column is archived, checks nothing, and counts lost values', () => {
    const plan = change(post(field('string', 'x', { unique: true, default: 'y' })), post());
    expect(sqlOf(plan)).toEqual([
      'DROP INDEX IF EXISTS "ux_posts_x"',
      'ALTER TABLE "posts" ALTER COLUMN "x" DROP DEFAULT',
      'ALTER TABLE "posts" ALTER COLUMN "x" DROP NOT NULL',
      'ALTER TABLE "posts" RENAME COLUMN "x" TO "_dropped_x_v1"',
    ]);
    expect(plan.losesData).toBe(true);
    expect(step(plan, 'archive_column')).toMatchObject({
      losesData: true,
      lossSql: 'SELECT count(*) AS "count" FROM "posts" WHERE "x" IS NOT NULL',
      archived: { table: 'posts', column: expect.stringMatching(/^_dropped_x_[0-9a-f]{6}_v1$/) },
    });
  });

  test('the longest name can be archived', () => {
    const plan = change(post(field('string', 'x'.repeat(63))), post());
    expect(step(plan, 'archive_column')?.archived?.column).toHaveLength(63);
  });
});

describe('renaming', () => {
  test('keeps the data, and objects follow in name', () => {
    const json = {
      ...schema('page', [field('string', 'y', { unique: true })], { disable_timestamp: true }),
      renames: { schema: 'post', fields: { x: 'y' } },
    };
    const plan = change(post(field('string', 'x', { unique: true })), json);
    expect(sqlOf(plan)).toEqual([
      'ALTER TABLE "posts" RENAME TO "pages"',
      'ALTER TABLE "pages" RENAME COLUMN "x" TO "y"',
      'ALTER INDEX "ux_posts_x" RENAME TO "ux_pages_y"',
      'ALTER TABLE "pages" RENAME CONSTRAINT "pk_posts" TO "pk_pages"',
    ]);
    expect(plan.losesData).toBe(false);
  });

  test('two columns that exchange names use a third name', () => {
    const json = { ...post(field('int32', 'y'), field('int32', 'x')), renames: { fields: { x: 'y', y: 'x' } } };
    const renames = sqlOf(change(post(field('int32', 'x'), field('int32', 'y')), json));
    expect(renames).toHaveLength(3);
    expect(renames[0]).toMatch(/RENAME COLUMN "x" TO "_renaming_/);
  });

  test('checks of the data use the previous names', () => {
    const json = {
      ...schema('page', [field('int16', 'y')], { disable_timestamp: true }),
      renames: { schema: 'post', fields: { x: 'y' } },
    };
    const retype = step(change(post(field('int64', 'x')), json), 'change_type');
    expect(retype?.sql).toEqual(['ALTER TABLE "pages" ALTER COLUMN "y" TYPE smallint USING "y"::smallint']);
    expect(retype?.checks[0]?.countSql).toContain('FROM "posts" AS "t" WHERE "x" NOT BETWEEN');
  });
});

describe('relations', () => {
  const pair = (target: string) => [
    post(relation('link', target, 'posts', 'o2m')),
    schema(target, [relation('posts', 'post', 'link', 'o2m', owner)]),
  ];

  test('a foreign key on a table with rows is validated after the transaction', () => {
    const before = snapshotOf([post(), schema('tag')]);
    const { plan } = applied(before, { put: [{ json: pair('tag') }] });
    expect(plan.steps.map(({ kind, phase }) => [kind, phase])).toEqual([
      ['add_column', 'transaction'],
      ['create_index', 'transaction'],
      ['add_foreign_key', 'transaction'],
      ['validate_foreign_key', 'post_commit'],
    ]);
    expect(step(plan, 'add_foreign_key')?.sql[0]).toMatch(/ NOT VALID$/);
  });

  test('a relation to another schema gets a new column', () => {
    const before = snapshotOf([...pair('tag'), schema('label')]);
    const json = [pair('label')[0], schema('tag'), pair('label')[1]];
    const { plan } = applied(before, { put: [{ json }] });
    expect(plan.steps.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['archive_column', 'add_column']));
    expect(plan.losesData).toBe(true);
  });

  test('another on_delete recreates the foreign key and checks for broken references', () => {
    const [, tag] = pair('tag');
    const plan = change(pair('tag'), [post(relation('link', 'tag', 'posts', 'o2m', { on_delete: 'cascade' })), tag]);
    expect(plan.steps.map(({ kind }) => kind)).toEqual(['drop_foreign_key', 'add_foreign_key', 'validate_foreign_key']);
    expect(step(plan, 'add_foreign_key')?.checks[0]).toMatchObject({ kind: 'foreign_key' });
  });

  test('an m2m relation whose owner changes keeps its links', () => {
    const many = (a: Record<string, unknown>, b: Record<string, unknown>) => [
      post(relation('tags', 'tag', 'posts', 'm2m', a)),
      schema('tag', [relation('posts', 'post', 'tags', 'm2m', b)]),
    ];
    const plan = change(many(owner, {}), many({}, owner));
    expect(plan.losesData).toBe(false);
    expect(new Set(plan.steps.map(({ kind }) => kind))).toEqual(
      new Set(['rename_table', 'rename_index', 'rename_constraint']),
    );
    expect(sqlOf(plan)[0]).toBe('ALTER TABLE "posts_tags" RENAME TO "tags_posts"');
  });

  test('a dropped schema is unlinked from others before it is archived', () => {
    const { plan } = applied(snapshotOf(blog()), { remove: ['author', 'profile', 'post', 'tag'] });
    const kinds = plan.steps.map(({ kind }) => kind);
    expect(new Set(kinds)).toEqual(new Set(['drop_foreign_key', 'drop_index', 'archive_table']));
    expect(kinds.indexOf('archive_table')).toBe(kinds.lastIndexOf('drop_index') + 1);
    expect(plan.steps.filter(({ losesData }) => losesData)).toHaveLength(6);
  });
});

describe('a plan', () => {
  const both = (before: SchemaSnapshot, after: SchemaSnapshot) => planChange(before, after, before.version);

  test('for equal models is empty', () => {
    expect(both(snapshotOf(blog()), snapshotOf(blog())).steps).toEqual([]);
  });

  test('has a deterministic hash that changes with any difference', () => {
    const before = snapshotOf(post());
    const plan = (x: unknown) => applied(before, { put: [{ json: post(x) }] }).plan.hash;
    expect(plan(field('int', 'x'))).toBe(plan(field('int', 'x')));
    expect(plan(field('int', 'x'))).not.toBe(plan(field('int', 'y')));
    expect(plan(field('int', 'x'))).not.toBe(plan(field('int', 'x', { label: 'X' })));
  });

  test('can be serialised as JSON', () => {
    const { plan } = applied(snapshotOf(blog()), { remove: ['author', 'profile', 'post', 'tag'] });
    expect(JSON.parse(JSON.stringify(plan))).toEqual(plan);
  });
});
