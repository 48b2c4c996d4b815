import { parse } from '@marcbachmann/cel-js';
import fc from 'fast-check';
import { convertPocketBase } from '../../../packages/convert/src/pocketbase/convert-pocketbase.js';
import {
  type RuleContext,
  type RuleField,
  translateRule,
} from '../../../packages/convert/src/pocketbase/translate-rule.js';
import { converted, exampleProject } from '../../support/conversions.js';
import { asAdmin } from '../../support/schema-fixture.js';
import { useTestApp } from '../../support/test-app.js';

const field = (name: string, kind: RuleField['kind'], optional = false): RuleField => ({ name, kind, optional });
const FIELDS: Readonly<Record<string, RuleField>> = {
  id: field('id', 'key'),
  title: field('title', 'text', true),
  status: field('status', 'enum', true),
  rating: field('rating', 'number'),
  votes: field('votes', 'integer'),
  featured: field('featured', 'bool'),
  published: field('published', 'time', true),
  author: { ...field('author', 'one', true), target: 'users' },
  editors: { ...field('editors', 'many'), target: 'users' },
  labels: field('labels', 'other', true),
};
const context: RuleContext = {
  collection: 'posts',
  find: (collection, name) => (collection === 'posts' && Object.hasOwn(FIELDS, name) ? FIELDS[name] : undefined),
  accountsOf: (name) => (name === 'users' ? "auth.id != ''" : name === 'staff' ? "'staff' in auth.roles" : undefined),
};

/** A record as PocketBase stores it: no value is null. */
interface Row {
  readonly title: string;
  readonly status: string;
  readonly rating: number;
  readonly featured: boolean;
  readonly published: string;
  readonly author: string;
}

const PEOPLE = ['', 'ann', 'bob'];
const TIMES = ['', '2020-01-01 00:00:00.000Z', '2024-06-01 12:00:00.000Z', '2030-01-01 00:00:00.000Z'];
const NOW = '2024-06-01 12:00:00.000Z';
const row: fc.Arbitrary<Row> = fc.record({
  title: fc.constantFrom('', 'news', 'old news', "it's"),
  status: fc.constantFrom('', 'draft', 'published'),
  rating: fc.constantFrom(0, 1, 2.5, -3),
  featured: fc.boolean(),
  published: fc.constantFrom(...TIMES),
  author: fc.constantFrom(...PEOPLE),
});

interface Rule {
  readonly text: string;
  readonly means: (row: Row, me: string) => boolean;
}

const SIGNS = ['=', '!=', '<', '<=', '>', '>='] as const;

function ordered<T>(sign: (typeof SIGNS)[number], left: T, right: T): boolean {
  return {
    '=': left === right,
    '!=': left !== right,
    '<': left < right,
    '<=': left <= right,
    '>': left > right,
    '>=': left >= right,
  }[sign];
}

const comparison: fc.Arbitrary<Rule> = fc.oneof(
  fc.tuple(fc.constantFrom('=', '!='), fc.constantFrom('', 'news', "it's")).map(([sign, value]) => ({
    text: `title ${sign} ${JSON.stringify(value)}`,
    means: ({ title }: Row) => (title === value) === (sign === '='),
  })),
  fc
    .constantFrom('news', 'ws')
    .map((part) => ({ text: `title ~ '${part}'`, means: ({ title }: Row) => title.includes(part) })),
  fc.tuple(fc.constantFrom('=', '!='), fc.constantFrom('', 'draft')).map(([sign, value]) => ({
    text: `'${value}' ${sign} status`,
    means: ({ status }: Row) => (status === value) === (sign === '='),
  })),
  fc.tuple(fc.constantFrom(...SIGNS), fc.constantFrom(0, 1, 2.5)).map(([sign, value]) => ({
    text: `rating${sign}${value}`,
    means: ({ rating }: Row) => ordered(sign, rating, value),
  })),
  fc.boolean().map((value) => ({ text: `featured = ${value}`, means: ({ featured }: Row) => featured === value })),
  fc
    .constantFrom(...SIGNS)
    .map((sign) => ({ text: `published ${sign} @now`, means: ({ published }: Row) => ordered(sign, published, NOW) })),
  fc.constantFrom('<', '>=').map((sign) => ({
    text: `published ${sign} "2024-06-01"`,
    means: ({ published }: Row) => ordered(sign as '<', published, '2024-06-01 00:00:00.000Z'),
  })),
  // Here an empty relation does not match a guest. This is the only deliberate difference.
  fc.constant({
    text: '@request.auth.id = author',
    means: ({ author }: Row, me: string) => me !== '' && author === me,
  }),
  fc.constantFrom('=', '!=').map((sign) => ({
    text: `@request.auth.id ${sign} ""`,
    means: (_: Row, me: string) => (me === '') === (sign === '='),
  })),
);

const rule: fc.Arbitrary<Rule> = fc
  .array(fc.tuple(fc.constantFrom('&&', '||'), comparison, fc.boolean()), { minLength: 1, maxLength: 5 })
  .map((parts) => {
    const [first, ...rest] = parts.map(([sign, part, isWrapped]) => ({
      ...part,
      sign,
      text: isWrapped ? `(${part.text})` : part.text,
    }));
    const groups = rest.reduce<Rule[][]>(
      (all, part) => (part.sign === '&&' ? [...all.slice(0, -1), [...all.at(-1)!, part]] : [...all, [part]]),
      [[first!]],
    );
    return {
      text: [first!.text, ...rest.map(({ sign, text }) => `${sign} ${text}`)].join(' '),
      means: (one, me) => groups.some((group) => group.every(({ means }) => means(one, me))),
    };
  });

function verdict(
  evaluate: ReturnType<typeof parse>,
  { title, status, rating, featured, published, author }: Row,
  me: string,
): boolean {
  const record = {
    title: title || null,
    status: status || null,
    rating,
    featured,
    published: published === '' ? null : new Date(published.replace(' ', 'T')),
    author: author || null,
  };
  try {
    return evaluate({ record, auth: { id: me, roles: [] }, now: new Date(NOW.replace(' ', 'T')) }) === true;
  } catch {
    return false;
  }
}

describe('PocketBase rules', () => {
  const world = useTestApp();

  it('match the same records: a hundred rules on a thousand records each', () => {
    const rows = fc.sample(fc.tuple(row, fc.constantFrom(...PEOPLE)), 1_000);
    for (const { text, means } of fc.sample(rule, 100)) {
      const translated = translateRule(text, context);
      if (typeof translated === 'string') throw new Error(`${text}: ${translated}`);
      const { cel, needsAccount } = translated;
      const evaluate = parse(cel);
      const wrong = rows.filter(([one, me]) => verdict(evaluate, one, me) !== means(one, me));
      expect({ text, cel, wrong }).toEqual({ text, cel, wrong: [] });
      const allowed = rows.filter(([one, me]) => needsAccount && me === '' && means(one, me));
      expect({ text, allowed }).toEqual({ text, allowed: [] });
    }
  });

  it.each([
    ['editors.id ?= @request.auth.id', 'auth.id in record.editors'],
    [
      "title = 'a' || status = 'b' && (rating > 1 || rating < -1)",
      "record.title == 'a' || record.status == 'b' && (record.rating > 1.0 || record.rating < -1.0)",
    ],
    ['author != @request.auth.id', "(auth.id != '' && record.author != auth.id)"],
    ["@request.auth.collectionName = 'staff' // of us\n", "'staff' in auth.roles"],
  ])('are translated: %s', (text, cel) => {
    expect(translateRule(text, context)).toMatchObject({ cel });
  });

  it.each([
    ['@request.body.title:isset = true'],
    ["@request.query.key = 'x'"],
    ["@request.auth.role = 'admin'"],
    ['@collection.members.user ?= @request.auth.id'],
    ["comments_via_post.id != ''"],
    ["title !~ 'spam'"],
    ["title ~ 'a%b'"],
    ["title:lower = 'a'"],
    ['editors.id = @request.auth.id'],
    ["labels ~ 'a'"],
    ["nobody = 'x'"],
    ["constructor = 'x'"],
    ["rating = 'x'"],
    ["title = 'a' &&"],
    ["(title = 'a'"],
    ["title = 'a') || (1 = 1"],
    ['1 = 1'],
    [''],
    ['('.repeat(5_000)],
  ])('are not translated at all if a part has no counterpart: %s', (text) => {
    expect(typeof translateRule(text, context)).toBe('string');
  });

  it('do not fail, and do not leave the source text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 30 }), (value) => {
        const translated = translateRule(`title = ${JSON.stringify(value)}`, context);
        if (typeof translated === 'string') return;
        expect(translated.cel).toMatch(
          /^(record\.title == '(?:\\.|[^'\\])*'|\(record\.title == null \|\| record\.title == ''\))$/u,
        );
      }),
    );
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom('title', ' ', '=', '&&', '||', '(', ')', "'", '"', '\\', '@', '~', '1', '//', '\n'),
        }),
        (text) => void translateRule(text, context),
      ),
    );
  });

  it('are permissions that can be saved', async () => {
    const admin = await asAdmin(world.app);
    const { schemas, roles } = converted(convertPocketBase, exampleProject('pocketbase'));
    await admin.post('/api/schema', { schemas }).expect(201);
    const permissions = roles.flatMap((role) => role.permissions);
    expect(permissions.length).toBeGreaterThan(15);
    const { body } = await admin.post('/api/access/check', { permissions }).expect(200);
    expect(body.data).toEqual({ valid: true, faults: [] });
  });
});

describe('a renamed collection', () => {
  const world = useTestApp();

  it('keeps its records, fields and links', async () => {
    const admin = await asAdmin(world.app);
    const [file] = exampleProject('pocketbase');
    const before = [file!];
    const first = converted(convertPocketBase, before);
    await admin.post('/api/schema', { schemas: first.schemas }).expect(201);
    const renamed = file!.text
      .replaceAll('"name": "categories"', '"name": "sections"')
      .replaceAll('"name": "category"', '"name": "section"');
    const { body } = await admin
      .post('/api/schema/convert', {
        source: 'pocketbase',
        files: [{ name: file!.name, text: renamed }],
        previous: before,
      })
      .expect(200);
    expect(body.data.renames).toMatchObject({
      sections: { schema: 'categories', fields: { categories_parent: 'sections_parent' } },
      posts: { fields: { category: 'section' } },
    });
    expect(body.data.faults).toEqual([]);
    const { schemas, renames } = body.data as { schemas: { name: string }[]; renames: Record<string, object> };
    const submitted = schemas.map((schema) => ({
      ...schema,
      ...(renames[schema.name] ? { renames: renames[schema.name] } : {}),
    }));
    const plan = await admin.post('/api/schema/plan', { schemas: submitted }).expect(200);
    expect(plan.body.data).toMatchObject({ loses_data: false, blocked: false });
    await admin.post('/api/schema', { schemas: submitted }).expect(201);
    const again = converted(convertPocketBase, [{ name: file!.name, text: renamed }], before);
    expect(again.schemas).toEqual(schemas);
    expect(converted(convertPocketBase, before, before).renames).toEqual({});
  });
});
