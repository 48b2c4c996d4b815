import { newId } from '../../../src/kernel/keys/random.js';
import { useMailedApp } from '../../support/mailbox.js';
import { createPerson, PASSWORD, signedIn } from '../../support/people.js';

const REGISTER = '/api/auth/local/register';
const OTHER_ID = newId();

/** Fields that a sign-up does not have, in the spellings of the table, the entity and other products. */
const MASS_ASSIGNMENT: Record<string, unknown> = {
  id: OTHER_ID,
  uuid: OTHER_ID,
  user_id: OTHER_ID,
  roles: ['admin'],
  role: 'admin',
  role_ids: [OTHER_ID],
  roleIds: [OTHER_ID],
  'roles[]': 'admin',
  'roles.$add': [{ name: 'admin' }],
  root: true,
  is_admin: true,
  isAdmin: true,
  admin: true,
  permissions: [{ resource: '*', value: 'allow' }],
  activated: true,
  active: true,
  confirmed: true,
  blocked: false,
  activated_at: '2020-01-01T00:00:00.000Z',
  activatedAt: '2020-01-01T00:00:00.000Z',
  email_verified: true,
  email_verified_at: '2020-01-01T00:00:00.000Z',
  emailVerifiedAt: '2020-01-01T00:00:00.000Z',
  provider: 'google',
  provider_id: 'subject',
  providerId: 'subject',
  identities: [{ issuer: 'https://accounts.google.com', subject: '1' }],
  email_key: 'admin@example.com',
  emailKey: 'admin@example.com',
  username_key: 'admin',
  usernameKey: 'admin',
  password_hash: '$argon2id$v=19$m=8,t=1,p=1$c29tZXNhbHQ$AAAA',
  passwordHash: '$argon2id$v=19$m=8,t=1,p=1$c29tZXNhbHQ$AAAA',
  created_at: '2020-01-01T00:00:00.000Z',
  updatedAt: '2020-01-01T00:00:00.000Z',
  activation: 'auto',
  activation_method: 'auto',
  data: { roles: ['admin'] },
  user: { roles: ['admin'], activated: true },
  registration: { activated: true },
  constructor: { prototype: { activated: true } },
  prototype: { activated: true },
  hasOwnProperty: 1,
  toString: 'x',
  toJSON: 'x',
};

describe('mass assignment', () => {
  const world = useMailedApp({ hasher: 'real' });
  const post = (path: string, body: unknown) => world.app.asGuest().post(path, body);
  const rowOf = async (email: string) =>
    (
      await world.app.sql(
        `SELECT id, provider, activated, activated_at, email_verified_at, username, password_hash, created_at,
           array(SELECT r.name FROM user_roles ur JOIN roles r ON r.id = ur.role_id WHERE ur.user_id = users.id) AS roles
         FROM users WHERE email = $1`,
        [email],
      )
    )[0];

  it('registration rejects unknown fields', async () => {
    const fields = { email: 'mass@example.com', password: PASSWORD, password_confirmation: PASSWORD };
    for (const [name, value] of Object.entries(MASS_ASSIGNMENT)) {
      const refused = await post(REGISTER, { [name]: value, ...fields }).expect(422);
      expect(refused.body.data).toMatchObject({ error: 'validation_failed', errors: [{ field: name }] });
    }
    await post(REGISTER, { ...MASS_ASSIGNMENT, ...fields }).expect(422);
    expect(await rowOf('mass@example.com')).toBeUndefined();
    await post(REGISTER, fields).expect(201);
    const row = (await rowOf('mass@example.com'))!;
    expect(row).toMatchObject({
      provider: 'local',
      activated: false,
      activated_at: null,
      email_verified_at: null,
      username: null,
      roles: ['user'],
    });
    expect(row['id']).not.toBe(OTHER_ID);
    expect(row['password_hash']).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect((row['created_at'] as Date).getTime()).toBeGreaterThan(Date.parse('2026-01-01'));
    expect(({} as { activated?: boolean }).activated).toBeUndefined();
    await post('/api/auth/local/login', { login: 'mass@example.com', password: PASSWORD }).expect(401);
  });

  it('a field that names another account does not sign in, reset or change it', async () => {
    const victim = await createPerson(world.app);
    const { person, token } = await signedIn(world.app);
    const others = { id: victim.id, user_id: victim.id, userId: victim.id, sub: victim.id, user: victim.email };
    const login = { login: person.email, password: person.password, ...others, email: victim.email };
    await post('/api/auth/local/login', login).expect(422);
    const change = { new_email: 'moved@example.com', current_password: person.password, ...others };
    await world.app.as(token).post('/api/auth/local/email/change', change).expect(422);
    expect(await world.app.sql(`SELECT user_id FROM one_time_secrets WHERE purpose = 'email-change'`)).toEqual([]);
    const query = `user_id=${victim.id}&id=${victim.id}&sub=${victim.id}`;
    expect((await world.app.as(token).get(`/api/auth/me?${query}`).expect(200)).body.id).toBe(person.id);
    await world.app.as(token).delete(`/api/auth/sessions?${query}`).expect(400);
    await world.app.as(token).get('/api/auth/me').expect(200);
  });
});

describe('misleading names', () => {
  const world = useMailedApp();
  let counter = 0;
  const register = (fields: Record<string, unknown>) =>
    world.app.asGuest().post(REGISTER, {
      email: `name${(counter += 1)}@example.com`,
      password: PASSWORD,
      password_confirmation: PASSWORD,
      ...fields,
    });
  const faultOf = async (fields: Record<string, unknown>) => {
    const { status, body } = await register(fields);
    return [status, body.data.errors?.[0]?.field, body.data.errors?.[0]?.code];
  };

  it.each([
    'ann@example.com',
    'ann@b',
    '@ann',
    'ann@',
    'ann＠example.com',
    'ann﹫example.com',
    'ann%40example.com',
    'ann&#64;example.com',
    '"ann"',
    '<ann>',
    'ann lee',
    'ann\u00a0lee',
    'ann\u2024lee',
    '../ann',
    'ann/lee',
    'ann\\lee',
    '.ann',
    'ann.',
    '-ann',
    '\u0301ann',
    'ｆullwidth',
    'ﬁne',
    'ad\u200bmin',
    'ad\u200dmin',
    'ad\u00admin',
    'ad\u034fmin',
    'admin\u115f',
    'admin\u1160',
    'ad\u3164min',
    'ad\uffa0min',
    'ad\ufe0fmin',
    'ad\u{e0100}min',
    'ad\u17b4min',
    '\u202enimda',
    'x'.repeat(61),
    '😀😀',
  ])('rejects the username %j', async (username) => {
    const [status, field, code] = await faultOf({ username });
    expect([status, field]).toEqual([422, 'username']);
    expect(['username_invalid', 'too_long', 'characters_invalid']).toContain(code);
    expect(await world.app.sql('SELECT 1 FROM users WHERE username = $1', [username])).toEqual([]);
  });

  it.each(['ann', 'Ann.Lee-2_x', 'Ünal', 'अनिल', '日本語', 'é', 'x'.repeat(60)])(
    'accepts the username %j',
    (username) => register({ username }).expect(201),
  );

  it('rejects names that are too long or cannot be stored, and counts characters as users do', async () => {
    const cases: [value: unknown, code: string][] = [
      ['n'.repeat(300), 'too_long'],
      ['n'.repeat(101), 'too_long'],
      ['😀'.repeat(101), 'too_long'],
      ['Ann\u0000', 'characters_invalid'],
      ['Ann\r\nBcc: eve@evil.com', 'characters_invalid'],
      ['\ud800Ann', 'characters_invalid'],
      ['Ann\udc00', 'characters_invalid'],
      [['Ann'], 'type_invalid'],
      [{ first: 'Ann' }, 'type_invalid'],
      [7, 'type_invalid'],
    ];
    for (const field of ['first_name', 'last_name']) {
      for (const [value, code] of cases) expect(await faultOf({ [field]: value })).toEqual([422, field, code]);
      await register({ [field]: '😀'.repeat(100) }).expect(201);
      await register({ [field]: null }).expect(201);
    }
  });
});
