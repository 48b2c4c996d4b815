import { magazine } from '../../../../test/support/content-fixture.js';
import { applied, SYSTEM } from '../../../../test/support/schema-definitions.js';
import { CONTENT_VARIABLES } from '../content.variables.js';
import { parseConfig } from '../../../platform/config/parse-config.js';
import { initialSnapshot } from '../../schema/change/prepare-change.js';
import type { LinkedSchema } from '../../model/schema-model.types.js';
import { planChange, planCreate, type ResponsePlan } from '../plan/plan-write.js';
import { contentLimits } from '../request/query-faults.js';
import { accessLookup } from '../resolve/content-access.js';
import { FieldResolver } from '../resolve/field-resolver.js';
import { ALWAYS, type Condition } from '../resolve/conditions.js';
import { WriteResolver } from '../resolve/writes/resolve-write.js';
import { WriteFaults } from '../resolve/writes/write-faults.js';
import type { RecordWrite, WriteMode } from '../resolve/writes/record-write.js';
import { generatedValues } from '../resolve/sql-values.js';
import { renderSingleChange, renderSingleCreate, renderSingleRemove } from './render-single-statement.js';

const { snapshot } = applied(initialSnapshot(SYSTEM), { put: [{ json: { schemas: magazine() } }], backRefs: 'create' });
const post = snapshot.schemas['post'] as LinkedSchema;
const auth = { id: '00000000-0000-7000-8000-000000000001', email: 'a@example.com', username: '', roles: [] };
const now = new Date(0);
const limits = contentLimits(parseConfig({}, [CONTENT_VARIABLES]));
const [category, red, blue] = [1, 2, 3].map((at) => `00000000-0000-7000-8000-00000000001${at}`);
const TITLE: ResponsePlan = {
  visible: ALWAYS,
  record: {
    columns: [{ name: 'title', operand: { kind: 'column', column: 'title', guard: null }, type: 'string' }],
    relations: [],
    getters: [],
  },
};
const byKey: Condition = {
  kind: 'compare',
  comparison: '=',
  left: { kind: 'column', column: 'id', guard: null },
  right: { kind: 'value', value: red, sqlType: 'uuid' },
};

function ruleContext(rule: string | null) {
  const permissions = [{ resource: 'content.*', value: rule ?? 'allow' }];
  const permissionsInput = { root: rule === null, permissions, roles: [] };
  const access = accessLookup({ snapshot, permissions: permissionsInput, auth, now });
  return {
    snapshot,
    permissions: permissionsInput,
    access,
    fields: new FieldResolver(snapshot, access),
    auth,
    now,
    limits,
  };
}

function resolved(mode: WriteMode, body: unknown, within: ReturnType<typeof ruleContext>): RecordWrite {
  const faults = new WriteFaults();
  const write = new WriteResolver(within, faults).resolve({ schema: post, mode, body, location: '' });
  faults.assertNone();
  return write;
}

const removal = {
  table: 'posts',
  key: { column: 'id', sqlType: 'uuid' },
  where: byKey,
  locks: [],
  versions: null,
  values: null,
};

describe('the single statement of a simple write', () => {
  const root = ruleContext(null);
  const create = (body: unknown, within = root) =>
    planCreate(resolved('create', body, within), new Map(), TITLE, within.fields, now);
  const change = (body: unknown, within = root) =>
    planChange(resolved('update', body, within), new Map(), TITLE, within.fields, {
      id: red,
      where: byKey,
      versions: ['7'],
    });

  it('creates a record with a reference and links', () => {
    const plan = create({ title: 'x', category, tags: [red, blue] });
    const { text, parameters } = renderSingleCreate(plan as NonNullable<typeof plan>);
    expect(text).toMatchInlineSnapshot(
      `"WITH t1 AS (INSERT INTO "posts" ("title", "category_id") SELECT $1::text, $2::uuid WHERE (SELECT count(*) FROM (SELECT 1 FROM "categorys" t2 WHERE t2."id" = ANY($3::uuid[]) AND t2."deleted_at" IS NULL ORDER BY t2."id" FOR KEY SHARE OF t2) t3) = $4::bigint AND (SELECT count(*) FROM (SELECT 1 FROM "tags" t4 WHERE t4."id" = ANY($5::uuid[]) AND TRUE ORDER BY t4."id" FOR KEY SHARE OF t4) t5) = $6::bigint RETURNING *), t6 AS (INSERT INTO "posts_tags" ("post_id", "tag_id") SELECT t1."id", unnest($7::uuid[]) FROM t1) SELECT t1."id"::text AS id, (CASE WHEN TRUE THEN (SELECT row_to_json(t7) FROM (SELECT t1."title" AS "title") t7) END)::text AS item, pg_current_xact_id()::xid::text AS version FROM t1"`,
    );
    expect(parameters).toEqual(['x', category, [category], 1, [red, blue], 2, [red, blue]]);
  });

  it('changes one version, and evaluates its rule before and after', () => {
    const within = ruleContext("record.status == 'draft'");
    const plan = change({ views: 3 }, within);
    const { text, parameters } = renderSingleChange({
      ...(plan as NonNullable<typeof plan>),
      unchangedColumns: ['status'],
    });
    expect(text).toMatchInlineSnapshot(
      `"WITH t1 AS (UPDATE "posts" t2 SET "views" = $1::bigint WHERE t2."id" = $2::uuid AND t2.xmin::text = ANY($3::text[]) AND t2."status" = $4::text AND EXISTS (SELECT 1 FROM (SELECT t2."status" AS "status", $1::bigint AS "views") t3 WHERE t3."status" = $5::text) RETURNING t2.*) SELECT t1."id"::text AS id, (CASE WHEN TRUE THEN (SELECT row_to_json(t4) FROM (SELECT t1."title" AS "title") t4) END)::text AS item, pg_current_xact_id()::xid::text AS version FROM t1"`,
    );
    expect(parameters).toEqual(['3', red, ['7'], 'draft', 'draft']);
  });

  it('deletes a record', () => {
    expect(renderSingleRemove(removal)).toEqual({
      text: 'WITH t2 AS (DELETE FROM "posts" t1 WHERE t1."id" = $1::uuid RETURNING t1."id"::text AS id) SELECT id FROM t2',
      parameters: [red],
    });
  });

  it('takes the locks of a deletion before it locks the record', () => {
    const { text } = renderSingleRemove({ ...removal, locks: [{ turn: 'posts', isShared: false }] });
    expect(text).toMatch(
      / WHERE \(SELECT count\(\*\) FROM \(SELECT pg_advisory_xact_lock\(.*\)\) t\d\) >= 0 AND t1\."id" = /,
    );
  });

  it('contains constant audit values as literals', () => {
    const event = ['1', '2026-01-01', 'guest', 'record.delete', 'post:', 'success', null, 'r1', null, '{}'];
    const { text, parameters } = renderSingleRemove({ ...removal, event });
    expect(text).toMatch(
      / SELECT \$2::uuid, \$3::timestamptz, \$4::text, 'record\.delete'::text, left\('post:'::text \|\| t2\.id, 300\), 'success'::text, \$5::text, \$6::text, \$7::uuid, '\{\}'::jsonb FROM t2\) SELECT id FROM t2$/,
    );
    expect(parameters).toEqual([red, '1', '2026-01-01', 'guest', null, 'r1', null]);
  });

  it.each(["x'); DROP TABLE posts; --", "\\'", '\\'])('what could end a literal is a parameter: %s', (resource) => {
    const event = ['1', '2026-01-01', 'guest', 'record.delete', resource, 'success', null, null, null, '{}'];
    const { text, parameters } = renderSingleRemove({ ...removal, event });
    expect(text).not.toContain(resource);
    expect(parameters).toContain(resource);
  });

  it.each([
    ['a nested record', { title: 'x', category: { title: 'new' } }],
    ['a nested record in a list', { title: 'x', tags: [{ title: 'new' }] }],
    ['a link that another record holds', { title: 'x', comments: [red] }],
  ])('%s needs more than one statement', (_what, body) => {
    expect(create(body)).toBeNull();
  });

  it.each([
    ["'00000000-0000-7000-8000-000000000012' in record.tags", { tags: [red] }, false],
    ["'00000000-0000-7000-8000-000000000012' in record.tags", {}, true],
    ["record.category.title == 'x'", { tags: [red] }, true],
  ])('a rule about written values needs more than one: %s with %j', (rule, body, isSimple) => {
    const within = { ...root, access: ruleContext(rule).access };
    const write = resolved('create', { title: 'x', ...body }, within);
    const plan = planCreate(write, generatedValues(post, now), TITLE, root.fields, now);
    expect(plan !== null).toBe(isSimple);
  });

  it('is not used for removed links if the row version does not report every change', () => {
    expect(change({ title: 'x', tags: [red] })).toBeNull();
    expect(change({ title: 'x', tags: { $add: [red] } })).not.toBeNull();
  });
});
