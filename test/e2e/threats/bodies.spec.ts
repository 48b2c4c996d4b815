import { useMailedApp } from '../../support/mailbox.js';
import { PASSWORD, signedIn } from '../../support/people.js';

/** Every public write of accounts, with a body of valid form. */
const ROUTES: [path: string, body: Record<string, string>][] = [
  [
    'local/register',
    {
      email: 'new@example.com',
      password: PASSWORD,
      password_confirmation: PASSWORD,
      username: 'new',
      first_name: 'New',
      last_name: 'Person',
    },
  ],
  ['local/login', { login: 'nobody@example.com', password: 'wrong password' }],
  ['local/activate', { token: 'x' }],
  ['local/activate', { session_id: 'x', code: '123456' }],
  ['local/activate/send', { email: 'nobody@example.com' }],
  ['local/recover', { email: 'nobody@example.com' }],
  ['local/recover/check', { token: 'x' }],
  ['local/recover/check', { session_id: 'x', code: '123456' }],
  ['local/recover/reset', { token: 'x', password: PASSWORD, password_confirmation: PASSWORD }],
  ['local/recover/reset', { session_id: 'x', password: PASSWORD, password_confirmation: PASSWORD }],
  ['local/email/confirm', { token: 'x' }],
  ['local/email/cancel', { token: 'x' }],
  ['token/refresh', { refresh_token: 'x' }],
  ['otp/request', { email: 'nobody@example.com' }],
  ['otp/verify', { email: 'nobody@example.com', code: '123456' }],
  ['exchange', { code: 'x', code_verifier: 'x'.repeat(43) }],
];

/** JSON values that a field must reject: operators, lists, other types, unstorable text. As JSON text, because some exist only in JSON. */
const HOSTILE = [
  '{"$ne":null}',
  '{"$gt":""}',
  '{"$regex":".*"}',
  '["nobody@example.com","eve@evil.com"]',
  '[]',
  '{}',
  '0',
  '1e400',
  '-0',
  'true',
  'false',
  '[["x"]]',
  '{"toString":"x"}',
  '{"length":8}',
  '{"constructor":{"prototype":{"activated":true}}}',
  '"\\ud800"',
  '"\\udc00x"',
];
/** Invalid only in plain text: a password may contain them. */
const UNPLAIN = ['"a\\u0000b"', '"a\\nb@example.com"', '"\\u001b[31m"'];
const SECRETS = new Set(['password', 'password_confirmation', 'current_password']);

describe('every field of every body', () => {
  const world = useMailedApp({ env: { AUTH_OTP_ENABLED: 'true', AUTH_ENABLE_REFRESH_TOKEN: 'true' } });
  const send = (path: string, text: string, token?: string) => {
    const request = world.app.asGuest().post(`/api/auth/${path}`).set('content-type', 'application/json');
    return (token === undefined ? request : request.set('authorization', `Bearer ${token}`)).send(text);
  };

  function withField(body: Record<string, string>, field: string, json: string): string {
    return JSON.stringify({ ...body, [field]: '@@' }).replace('"@@"', () => json);
  }

  async function attack(path: string, body: Record<string, string>, token?: string): Promise<void> {
    const before = await world.app.sql('SELECT id, email, activated, password_hash FROM users ORDER BY id');
    for (const field of Object.keys(body)) {
      for (const json of SECRETS.has(field) ? HOSTILE : [...HOSTILE, ...UNPLAIN]) {
        const { status, body: answer } = await send(path, withField(body, field, json), token);
        expect([path, field, json, status]).toEqual([
          path,
          field,
          json,
          status === 401 ? 401 : status === 400 ? 400 : 422,
        ]);
        expect(answer).toEqual({ code: String(status), message: expect.any(String), data: expect.any(Object) });
      }
    }
    expect(await world.app.sql('SELECT id, email, activated, password_hash FROM users ORDER BY id')).toEqual(before);
  }

  it.each(ROUTES)('of %s rejects values other than text, with 4xx and an envelope: %j', (path, body) =>
    attack(path, body),
  );

  it('of local/email/change too', async () => {
    const { token } = await signedIn(world.app);
    await attack('local/email/change', { new_email: 'moved@example.com', current_password: PASSWORD }, token);
  });

  it.each([
    ['text/plain', '{"email":"nobody@example.com"}'],
    ['application/x-www-form-urlencoded', 'email=nobody@example.com'],
    ['application/x-www-form-urlencoded', 'email[]=nobody@example.com&email[$ne]='],
    ['multipart/form-data; boundary=x', '--x\r\nContent-Disposition: form-data; name="email"\r\n\r\na\r\n--x--'],
    ['application/ld+json', '{"email":"nobody@example.com"}'],
    ['application/xml', '<email>nobody@example.com</email>'],
  ])('a body of type %s is rejected: %s', async (type, text) => {
    for (const [path] of ROUTES) {
      const request = world.app.asGuest().post(`/api/auth/${path}`).set('content-type', type);
      expect([path, (await request.send(text)).status]).toEqual([path, 415]);
    }
  });

  it('a body in another character set is rejected, not decoded wrongly', async () => {
    for (const charset of ['utf-16le', 'latin1']) {
      const bytes = Buffer.from('{"email":"nöbody@example.com"}', charset === 'latin1' ? 'latin1' : 'utf16le');
      const request = world.app
        .asGuest()
        .post('/api/auth/local/recover')
        .set('content-type', `application/json; charset=${charset}`);
      expect((await request.serialize((body: unknown) => body as string).send(bytes)).status).toBe(400);
    }
  });
});

/** Spellings that a mail program, a parser or a user may read as another mailbox than the service does. */
const SPELLINGS = [
  'victim@example.com,eve@evil.com',
  'victim@example.com;eve@evil.com',
  'victim@example.com eve@evil.com',
  'Victim <victim@example.com>',
  '<victim@example.com>',
  '"victim"@example.com',
  '"victim@example.com"@evil.com',
  'victim(comment)@example.com',
  'group:victim@example.com;',
  'mailto:victim@example.com',
  'victim@example.com\u0000@evil.com',
  'victim@example.com\r\nBcc: eve@evil.com',
  'victim@example.com\u2028eve@evil.com',
  'victim@example.com.',
  'victim@example.com ',
  ' victim@example.com',
  'victim@@example.com',
  'victim@evil.com@example.com',
  'vic\u200btim@example.com',
  'victim@exam\u200bple.com',
  'victim@ex\u00adample.com',
  'victim@example\u3002com',
  'victim@ｅxample.com',
  'victim＠example.com',
  'vïctim@example.com',
  '\u0432ictim@example.com',
  'victim@[127.0.0.1]',
  'victim@127.0.0.1',
  'victim@localhost',
  'victim@.example.com',
  'victim@example..com',
  '.victim@example.com',
  'victim.@example.com',
  'vic..tim@example.com',
  '@example.com',
  'victim@',
  '=?utf-8?q?victim?=@exa mple.com',
  `${'v'.repeat(65)}@example.com`,
  `victim@${'e'.repeat(64)}.com`,
  `victim@${'e.'.repeat(160)}com`,
];

describe('an address is one mailbox', () => {
  const world = useMailedApp({ env: { AUTH_OTP_ENABLED: 'true' } });

  it.each(SPELLINGS)('%j is rejected in every address field, and no mail is sent', async (email) => {
    const { person, token } = await signedIn(world.app);
    const bodies: [path: string, body: Record<string, string>][] = [
      ['local/register', { email, password: PASSWORD, password_confirmation: PASSWORD }],
      ['local/activate/send', { email }],
      ['local/recover', { email }],
      ['otp/request', { email }],
      ['otp/verify', { email, code: '123456' }],
      ['local/email/change', { new_email: email, current_password: person.password }],
    ];
    for (const [path, body] of bodies) {
      const answer = await world.app.as(token).post(`/api/auth/${path}`, body);
      expect([path, answer.status, answer.body.data?.errors?.[0]?.field]).toEqual([
        path,
        422,
        path === 'local/email/change' ? 'new_email' : 'email',
      ]);
    }
    expect(await world.app.sql(`SELECT 1 FROM background_jobs WHERE kind LIKE 'mail.%'`)).toEqual([]);
    expect(world.mailbox.attempts).toEqual([]);
  });
});
