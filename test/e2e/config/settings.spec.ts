import { personWith } from '../../support/content-fixture.js';
import { signedIn } from '../../support/people.js';
import { useTestApp } from '../../support/test-app.js';

const SECRETS = {
  APP_KEY: 'a key that nobody reads, of 32 bytes or more',
  APP_KEY_PREVIOUS: 'a key of before that nobody reads of 32 bytes or more',
  MAIL_URL: 'smtp://mailer:never-shown@127.0.0.1:2525',
  DATABASE_URL: 'postgres://lintel:not-this@127.0.0.1/nowhere',
};

describe('GET /api/settings', () => {
  const world = useTestApp({ env: { ...SECRETS, AUTH_OTP_ENABLED: 'true', APP_NAME: 'Acme & Sons' } });

  it('returns effective values, and of secrets only that they are set', async () => {
    const { client } = await personWith(world.app, [{ resource: 'settings.get', value: 'allow' }]);
    const { body } = await client.get('/api/settings').expect(200);
    const rows = new Map((body as { data: { name: string }[] }).data.map((row) => [row.name, row]));
    expect(rows.get('APP_NAME')).toEqual({ name: 'APP_NAME', value: 'Acme & Sons', source: 'set' });
    expect(rows.get('AUTH_OTP_ENABLED')).toEqual({ name: 'AUTH_OTP_ENABLED', value: 'true', source: 'set' });
    expect(rows.get('AUTH_OTP_LENGTH')).toEqual({ name: 'AUTH_OTP_LENGTH', value: '6', source: 'default' });
    for (const name of Object.keys(SECRETS)) expect(rows.get(name)).toEqual({ name, value: 'set', source: 'set' });
    for (const secret of ['nobody reads', 'never-shown', 'not-this'])
      expect(JSON.stringify(body)).not.toContain(secret);
    expect(JSON.stringify(world.app.config.given)).not.toContain('nobody reads');
  });

  it('needs the permission', async () => {
    await world.app.asGuest().get('/api/settings').expect(401);
    const { token } = await signedIn(world.app);
    await world.app.as(token).get('/api/settings').expect(403);
  });
});
