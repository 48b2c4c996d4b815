import { RoleSeeder } from '../../../src/identity/users/roles/role-seeder.js';
import { makeMagazine, personWith } from '../../support/content-fixture.js';
import { signedIn } from '../../support/people.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

interface Part {
  kind: string;
  text: string;
  start: number;
  end: number;
  holds: boolean | null;
  parts: Part[];
}
interface Explained {
  verdict: string;
  root: boolean;
  roles: string[];
  deleted: boolean | null;
  permissions: {
    id: string;
    role: string;
    resource: string;
    value: string;
    decides: boolean;
    holds: boolean | null;
    fault: string | null;
    rule: Part | null;
  }[];
}

const RULE = 'record.status == "published" && (record.views > 10 || record.owner.id == auth.id)';

describe('POST /api/access/explain', () => {
  const world = useTestApp();
  let root: TestClient;
  let editor: { client: TestClient; id: string; name: string };
  let posts: { id: string; title: string }[];

  const why = async (body: object, client = root): Promise<Explained> => {
    const answer = await client.post('/api/access/explain', body).expect(200);
    return (answer.body as { data: Explained }).data;
  };

  beforeAll(async () => {
    ({ root } = await makeMagazine(world.app));
    editor = await personWith(world.app, [
      { resource: 'content.post.get', value: RULE },
      { resource: 'content.post.*', value: 'record.title == "open"' },
      { resource: 'content.comment.*', value: 'allow' },
      { resource: 'content.comment.delete', value: 'deny' },
      { resource: 'content.tag.list', value: 'record.title.matches("a+")' },
    ]);
    const made = await root
      .post('/api/content/post', [
        { title: 'few', status: 'published', views: 3 },
        { title: 'many', status: 'published', views: 30 },
        { title: 'own', status: 'published', owner: { id: editor.id } },
        { title: 'draft', views: 30 },
        { title: 'open', views: 1 },
      ])
      .expect(201);
    posts = (made.body as { data: typeof posts }).data;
  });

  const idOf = (title: string): string => posts.find((post) => post.title === title)!.id;

  it('names the permission of the role, and the false part of its rule', async () => {
    const found = await why({ user_id: editor.id, schema: 'post', action: 'get', id: idOf('few') });
    expect(found).toMatchObject({ verdict: 'deny', root: false, roles: [editor.name], deleted: false });
    const rule = found.permissions.find(({ resource }) => resource === 'content.post.get')!;
    expect(rule).toMatchObject({ role: editor.name, value: RULE, holds: false, decides: false, fault: null });
    expect(rule.rule).toMatchObject({
      kind: 'all',
      holds: false,
      parts: [
        { kind: 'condition', text: 'record.status == "published"', holds: true },
        {
          kind: 'any',
          holds: false,
          parts: [
            { text: 'record.views > 10', holds: false },
            { text: 'record.owner.id == auth.id', holds: false },
          ],
        },
      ],
    });
    const [first] = rule.rule!.parts;
    expect(RULE.slice(first!.start, first!.end)).toBe(first!.text);
    const open = await why({ user_id: editor.id, schema: 'post', action: 'get', id: idOf('many') });
    expect(open.verdict).toBe('allow');
    expect(open.permissions.filter(({ decides }) => decides).map(({ resource }) => resource)).toEqual([
      'content.post.get',
    ]);
  });

  it('returns the real response for that user, for each record and action', async () => {
    for (const { id } of posts) {
      const { verdict } = await why({ user_id: editor.id, schema: 'posts', action: 'get', id });
      const { status } = await editor.client.get(`/api/content/post/${id}`);
      expect([id, verdict]).toEqual([id, status === 200 ? 'allow' : 'deny']);
      const { verdict: update } = await why({ user_id: editor.id, schema: 'post', action: 'update', id });
      const written = await editor.client.patch(`/api/content/post/${id}`, { views: 5, title: 'open' });
      if (update === 'allow') expect(written.status).toBe(200);
      else expect([403, 404]).toContain(written.status);
    }
  });

  it('without a record reports what depends on one, and evaluates the rest', async () => {
    const found = await why({ role: editor.name, schema: 'post', action: 'get' });
    expect(found).toMatchObject({ verdict: 'rules', deleted: null });
    expect(found.permissions.map(({ holds }) => holds)).toEqual([null, null]);
    await world.app.get(RoleSeeder).seed([
      {
        name: 'late',
        permissions: [
          { resource: 'content.post.list', value: '"late" in auth.roles && auth.level >= 2', fields: null },
        ],
      },
    ]);
    const late = await why({ role: 'late', schema: 'post', action: 'list' });
    expect(late.verdict).toBe('deny');
    expect(late.permissions[0]!.rule!.parts.map(({ holds }) => holds)).toEqual([true, false]);
  });

  it('reports that deny wins, which permissions do not apply and why, and that a root role needs none', async () => {
    const denied = await why({ user_id: editor.id, schema: 'comment', action: 'delete' });
    expect(denied.verdict).toBe('deny');
    expect(denied.permissions.map(({ value, decides }) => [value, decides])).toEqual([
      ['allow', false],
      ['deny', true],
    ]);
    const tag = await why({ user_id: editor.id, schema: 'tag', action: 'list' });
    expect(tag).toMatchObject({
      verdict: 'deny',
      permissions: [{ holds: false, fault: expect.any(String), rule: null }],
    });
    expect(await why({ role: 'admin', schema: 'post', action: 'delete', id: idOf('few') })).toMatchObject({
      verdict: 'allow',
      root: true,
    });
    expect(await why({ guest: true, schema: 'post', action: 'list' })).toMatchObject({
      verdict: 'deny',
      permissions: [],
    });
    await world.app
      .get(RoleSeeder)
      .seed([{ name: 'guest', permissions: [{ resource: 'content.tag.list', value: 'allow', fields: null }] }]);
    expect(await why({ guest: true, schema: 'tag', action: 'list' })).toMatchObject({
      verdict: 'allow',
      permissions: [{ role: 'guest', decides: true, holds: true }],
    });
  });

  it('reports that a record is deleted', async () => {
    const gone = (await root.post('/api/content/post', { title: 'gone' }).expect(201)).body as { data: { id: string } };
    await root.delete(`/api/content/post/${gone.data.id}`).expect(200);
    const found = await why({ role: 'admin', schema: 'post', action: 'restore', id: gone.data.id });
    expect(found.deleted).toBe(true);
  });

  it('needs the permission', async () => {
    const body = { guest: true, schema: 'post', action: 'list' };
    await world.app.asGuest().post('/api/access/explain', body).expect(401);
    await editor.client.post('/api/access/explain', body).expect(403);
    const { client } = await personWith(world.app, [{ resource: 'access.explain', value: 'allow' }]);
    await why(body, client);
  });

  it('rejects a missing, unknown or double subject, each with its error', async () => {
    const { person } = await signedIn(world.app);
    const rest = { schema: 'post', action: 'get' };
    const cases: [object, number, string][] = [
      [rest, 422, 'validation_failed'],
      [{ ...rest, guest: true, role: 'user' }, 422, 'validation_failed'],
      [{ ...rest, guest: 'yes' }, 422, 'validation_failed'],
      [{ ...rest, role: 'user', action: 'drop' }, 422, 'validation_failed'],
      [{ role: 'user', action: 'get' }, 422, 'validation_failed'],
      [{ ...rest, role: 'nobody' }, 404, 'principal_unknown'],
      [{ ...rest, role: '' }, 404, 'principal_unknown'],
      [{ ...rest, user_id: 'x' }, 404, 'principal_unknown'],
      [{ ...rest, user_id: idOf('few') }, 404, 'principal_unknown'],
      [{ ...rest, user_id: person.id, schema: 'nothing' }, 404, 'schema_not_found'],
      [{ ...rest, user_id: person.id, schema: '__proto__' }, 404, 'schema_not_found'],
      [{ ...rest, user_id: person.id, id: person.id }, 404, 'record_not_found'],
      [{ ...rest, user_id: person.id, id: "'; DROP TABLE users" }, 404, 'record_not_found'],
    ];
    for (const [body, status, error] of cases) {
      const answer = await root.post('/api/access/explain', body);
      const shown = [body, answer.status, (answer.body as { data: { error: string } }).data.error];
      expect(shown).toEqual([body, status, error]);
    }
  });
});
