import { magazine } from '../../../../../test/support/content-fixture.js';
import { applied, SYSTEM } from '../../../../../test/support/schema-definitions.js';
import { initialSnapshot } from '../../../schema/change/prepare-change.js';
import { compileRule, draftRefusal, ruleFault } from './compile-rule.js';

const { snapshot } = applied(initialSnapshot(SYSTEM), { put: [{ json: { schemas: magazine() } }], backRefs: 'create' });
const faultOf = (value: string, resource = 'content.post.list') => ruleFault(snapshot, resource, value);

describe('saving a rule', () => {
  it.each([
    'record.id == auth.id',
    'record.owner == auth.id',
    "record.owner.email == auth.email && record.status in ['draft', 'published']",
    "has(record.body) && !record.title.startsWith('x')",
    "'editor' in auth.roles || record.views >= 3",
    'record.published_at <= now',
    "record.published_at > timestamp('2026-01-01T00:00:00Z')",
    "'00000000-0000-7000-8000-000000000001' in record.tags",
    'record.category.parent.title == record.title',
    'true',
  ])('accepts %s', (value) => {
    expect(faultOf(value)).toBeNull();
  });

  it.each([
    ["record.title.matches('x')", 'regular expressions'],
    ["record.tags.exists(t, t.title == 'x')", ''],
    ["record.tags == ['x']", 'lists'],
    ["record.tags.title == 'x'", 'list'],
    ['record.views == 1.5', 'overload'],
    ['record.secre == "x"', ''],
    ["record.owner.password == 'x'", 'password'],
    ["record.meta.a == 'x'", 'members'],
    ["auth.username == 'x'", 'username'],
    ["record.title + 'x' == 'y'", ''],
    ['record.title', ''],
    ['1 + 1', ''],
    ["record.published_at < timestamp('+200000-01-01T00:00:00Z')", 'timestamp'],
    ["record.published_at < timestamp('-000001-01-01T00:00:00Z')", 'timestamp'],
    ['record.title ==', ''],
  ])('rejects with its position: %s', (value, message) => {
    const fault = faultOf(value);
    expect(fault).toContain(message);
    const [, start, end] = /\(characters (\d+) to (\d+)\)$/.exec(fault ?? '') ?? [];
    expect(Number(end)).toBeLessThanOrEqual(value.length);
    expect(Number(start)).toBeLessThanOrEqual(Number(end));
  });

  it('leaves the check to each schema if the resource names none, or a missing one', () => {
    expect(faultOf('record.nothing == 1', 'content.*')).toBeNull();
    expect(faultOf('record.nothing == 1', 'content.later.list')).toBeNull();
  });

  it.each(['content.*', '*', 'content.later.list', 'content'])('still compiles it, for %s', (resource) => {
    for (const rule of [
      'Deny',
      'perhaps not',
      'DENY',
      'allowed',
      'yes',
      '1',
      '"allow"',
      'record.',
      'auth.nobody == ""',
      'auth.username == ""',
      'auth["username"] == ""',
    ])
      expect({ rule, fault: faultOf(rule, resource) }).toEqual({ rule, fault: expect.any(String) });
    for (const rule of ['record.owner == auth.id', "'editor' in auth.roles", 'true'])
      expect({ rule, fault: faultOf(rule, resource) }).toEqual({ rule, fault: null });
    for (const rule of ['Deny', 'perhaps not']) expect(ruleFault(null, resource, rule)).not.toBeNull();
  });

  it.each(['auth.me', 'schema.list', 'notes.*', 'contents.post.list'])(
    'allows the principal and the time, and no record, for %s',
    (resource) => {
      for (const rule of [
        'Deny',
        'perhaps not',
        'record.owner == auth.id',
        'record["owner"] == auth.id',
        'has(record.owner)',
        '!has(record.owner)',
        'true || !has(auth.nobody)',
        '[1].exists(n, !has(auth.nobody))',
        "auth.username == 'x'",
        "auth['username'] == ''",
        "[auth].exists(a, a.username == '')",
        'auth.id',
        'now',
      ])
        expect({ rule, fault: faultOf(rule, resource) }).toEqual({ rule, fault: expect.any(String) });
      for (const rule of [
        "'editor' in auth.roles",
        "auth.email.endsWith('@a.b')",
        "now < timestamp('2030-01-01T00:00:00Z')",
      ])
        expect({ rule, fault: faultOf(rule, resource) }).toEqual({ rule, fault: null });
    },
  );
});

describe('an unsaved rule', () => {
  it('does not use the cache of saved rules', () => {
    const schema = snapshot.schemas['post']!;
    for (let at = 0; at < 1_100; at += 1) {
      expect(draftRefusal(snapshot, 'content.post.list', `record.views == ${at}`)).toBeNull();
    }
    expect(draftRefusal(snapshot, 'content.post.list', 'record.viewz == 1')?.range).toEqual({ start: 7, end: 12 });
    const rule = 'record.views > 77';
    expect(compileRule(schema, rule)).toBe(compileRule(schema, rule));
  });
});
