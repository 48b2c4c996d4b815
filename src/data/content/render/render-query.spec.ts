import { magazine } from '../../../../test/support/content-fixture.js';
import { applied, SYSTEM } from '../../../../test/support/schema-definitions.js';
import { CONTENT_VARIABLES } from '../content.variables.js';
import { parseConfig } from '../../../platform/config/parse-config.js';
import { initialSnapshot } from '../../schema/change/prepare-change.js';
import type { LinkedSchema } from '../../model/schema-model.types.js';
import { planList, planRecord } from '../plan/plan-list.js';
import { contentLimits, QueryFaults } from '../request/query-faults.js';
import { parseListQuery, parseRecordQuery } from '../request/parse-list-query.js';
import { accessLookup } from '../resolve/content-access.js';
import { FieldResolver } from '../resolve/field-resolver.js';
import { renderList, renderRecordQuery } from './render-query.js';

const FAULTS = new QueryFaults(contentLimits(parseConfig({}, [CONTENT_VARIABLES])));
const { snapshot } = applied(initialSnapshot(SYSTEM), { put: [{ json: { schemas: magazine() } }], backRefs: 'create' });
const post = snapshot.schemas['post'] as LinkedSchema;
const auth = { id: '00000000-0000-7000-8000-000000000001', email: 'a@example.com', username: '', roles: [] };

function fieldsFor(permissions: readonly { resource: string; value: string }[] | 'root'): FieldResolver {
  const root = permissions === 'root';
  const permissionsInput = { root, permissions: permissions === 'root' ? [] : permissions, roles: [] };
  return new FieldResolver(snapshot, accessLookup({ snapshot, permissions: permissionsInput, auth, now: new Date(0) }));
}

describe('read statements', () => {
  it('read a record by its key', () => {
    const query = parseRecordQuery({ select: 'title,published_at,huge' }, FAULTS);
    const plan = planRecord(post, '00000000-0000-7000-8000-000000000009', query, fieldsFor('root'), FAULTS);
    expect(plan && renderRecordQuery(plan)).toEqual({
      text:
        'SELECT (SELECT row_to_json(t2) FROM (SELECT t1."title" AS "title", ' +
        `to_char(t1."published_at" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS "published_at", ` +
        '(CASE WHEN t1."huge" BETWEEN -9007199254740991 AND 9007199254740991 THEN to_json(t1."huge") ' +
        'ELSE to_json(t1."huge"::text) END) AS "huge") t2)::text AS item, t1.xmin::text AS version ' +
        'FROM "posts" t1 WHERE t1."id" = $1::uuid AND t1."deleted_at" IS NULL',
      parameters: ['00000000-0000-7000-8000-000000000009'],
    });
  });

  it('read a list with relations, a filter over one, an order and a total', () => {
    const query = parseListQuery(
      {
        select: 'id,category.title,tags.title',
        filter: '{"category.title":{"$neq":"x"},"views":{"$in":[1,2]}}',
        sort: '-views',
        limit: '5',
        page: '3',
      },
      FAULTS,
    );
    const { text, parameters } = renderList(planList(post, query, fieldsFor('root'), null, FAULTS));
    expect(parameters).toEqual(['x', ['1', '2'], 5, 10, 101, 100]);
    expect(text).toMatchInlineSnapshot(
      `"WITH t4 AS MATERIALIZED (SELECT t1."id" AS key, t1."views" AS s0, t1."id" AS s1 FROM "posts" t1 WHERE t1."deleted_at" IS NULL AND (NOT (EXISTS (SELECT 1 FROM "categorys" t6 WHERE t6."id" = t1."category_id" AND t6."deleted_at" IS NULL AND t6."title" = $1::text)) AND t1."views" = ANY($2::bigint[]))) SELECT coalesce(json_agg(t3.record), '[]'::json)::text AS items, count(*)::int AS size, NULL::text AS last, (SELECT count(*) FROM t4)::text AS total FROM (SELECT (SELECT CASE WHEN cardinality(t12."tags") > $6::int THEN (SELECT row_to_json(t13) FROM (SELECT t12."id", t12."category", t12."tags"[1:$6::int] AS "tags", array_remove(ARRAY[CASE WHEN cardinality(t12."tags") > $6::int THEN 'tags'::text END], NULL) AS "_truncated") t13) ELSE row_to_json(t12) END FROM (SELECT t2."id" AS "id", (SELECT row_to_json(t8) FROM (SELECT t7."title" AS "title" FROM "categorys" t7 WHERE t7."id" = t2."category_id" AND t7."deleted_at" IS NULL LIMIT 1) t8) AS "category", (SELECT coalesce(array_agg(row_to_json(t10)), '{}') FROM (SELECT t9."title" AS "title" FROM "posts_tags" t11 JOIN "tags" t9 ON t9."id" = t11."tag_id" WHERE t11."post_id" = t2."id" ORDER BY t9."id" ASC LIMIT $5::bigint) t10) AS "tags" OFFSET 0) t12) AS record FROM (SELECT t1.* FROM (SELECT * FROM t4 ORDER BY t4.s0 DESC, t4.s1 DESC LIMIT $3::bigint OFFSET $4::bigint) t5 JOIN "posts" t1 ON t1."id" = t5.key ORDER BY t5.s0 DESC, t5.s1 DESC) t2) t3"`,
    );
  });

  it.each([
    ['-views', ['7', 'x'], /WHERE t1\."deleted_at" IS NULL AND \(t1\."views" <= \$1::bigint AND \(/],
    ['views', ['7', 'x'], /t1\."deleted_at" IS NULL AND \(t1\."views" >= \$1::bigint AND \(/],
    ['-published_at', [null, 'x'], /t1\."deleted_at" IS NULL AND \(t1\."published_at" IS NOT NULL OR /],
  ])('a cursor by %s can start at its position in an index', (sort, keys, expected) => {
    const query = parseListQuery({ select: 'id', sort, cursor: '', count: 'none' }, FAULTS);
    expect(renderList(planList(post, query, fieldsFor('root'), keys, FAULTS)).text).toMatch(expected);
  });

  it('contain rules at every join', () => {
    const fields = fieldsFor([
      { resource: 'content.post.*', value: "record.owner.id == auth.id || !(record.category.title == 'x')" },
      { resource: 'content.category.get', value: "record.title.startsWith('p')" },
    ]);
    const query = parseListQuery({ select: 'category.title', count: 'none', sort: 'category.title' }, FAULTS);
    const { text, parameters } = renderList(planList(post, query, fields, null, FAULTS));
    expect(parameters).toEqual([auth.id, 'x', 'p', 10, 'p']);
    expect(text).toMatchInlineSnapshot(
      `"SELECT coalesce(json_agg(t3.record), '[]'::json)::text AS items, count(*)::int AS size, NULL::text AS last, NULL::text AS total FROM (SELECT (SELECT row_to_json(t8) FROM (SELECT (SELECT row_to_json(t7) FROM (SELECT t6."title" AS "title" FROM "categorys" t6 WHERE t6."id" = t2."category_id" AND t6."deleted_at" IS NULL AND starts_with(t6."title", $5::text) LIMIT 1) t7) AS "category") t8) AS record FROM (SELECT t1.* FROM "posts" t1 WHERE t1."deleted_at" IS NULL AND (t1."owner_id" = $1::uuid OR NOT ((SELECT t4."title" IS NOT DISTINCT FROM $2::text FROM "categorys" t4 WHERE t4."id" = t1."category_id" AND t4."deleted_at" IS NULL))) ORDER BY (SELECT t5."title" FROM "categorys" t5 WHERE t5."id" = t1."category_id" AND t5."deleted_at" IS NULL AND starts_with(t5."title", $3::text)) ASC, t1."id" ASC LIMIT $4::bigint) t2) t3"`,
    );
  });

  it('pass values as parameters', () => {
    const evil = `'; DROP TABLE posts; --"$1\\`;
    const query = parseListQuery(
      {
        filter: JSON.stringify({ title: evil, body: { $icontains: evil }, $search: evil }),
      },
      FAULTS,
    );
    const { text, parameters } = renderList(planList(post, query, fieldsFor('root'), null, FAULTS));
    expect(text).not.toContain('DROP');
    expect(parameters.filter((value) => String(value).includes('DROP'))).toHaveLength(6);
  });

  it('have the same text for requests of the same shape', () => {
    const render = (title: string, page: string) => {
      const query = parseListQuery({ filter: JSON.stringify({ title }), page }, FAULTS);
      return renderList(planList(post, query, fieldsFor('root'), null, FAULTS)).text;
    };
    expect(render('a', '2')).toBe(render('b', '7'));
  });
});
