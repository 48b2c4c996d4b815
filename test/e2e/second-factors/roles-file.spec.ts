import { parseRoleFile } from '../../../src/identity/users/roles/role-file.js';
import { RoleSeeder } from '../../../src/identity/users/roles/role-seeder.js';
import { eventsOf } from '../../support/audit-log.js';
import { signedIn } from '../../support/people.js';
import { TestApp } from '../../support/test-app.js';

describe('a second factor that a roles file requires', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await TestApp.start();
  });
  afterAll(() => app?.stop());

  const seed = (role: object, dryRun = false) =>
    app.get(RoleSeeder).seed(
      parseRoleFile(JSON.stringify({ roles: [role] }), () => null),
      { dryRun },
    );
  const errorOf = ({ body }: { body: unknown }) => (body as { data?: { error?: string } }).data?.error ?? null;
  const kept = async (name: string) =>
    (await app.sql('SELECT id, mfa, mfa_grace_days AS days FROM roles WHERE name = $1', [name]))[0];

  it('applies to the next request after the days of grace, and is kept by a file that does not mention it', async () => {
    const permissions = [{ resource: 'content.user.list', value: 'allow' }];
    await seed({ name: 'careful', permissions });
    const { token } = await signedIn(app, { roles: ['careful'] });
    const users = () => app.as(token).get('/api/content/users?limit=1');
    await users().expect(200);
    const demand = { name: 'careful', mfa: 'required', mfa_grace_days: 3 };
    const event = { action: 'update', role: 'careful', resource: null, detail: 'second factor required after 3 days' };
    expect(await seed(demand, true)).toEqual([event]);
    expect(await kept('careful')).toMatchObject({ mfa: 'optional', days: 0 });
    expect(await seed(demand)).toEqual([event]);
    expect(await seed(demand)).toEqual([]);
    await users().expect(200);
    await seed({ name: 'careful', description: 'Careful people' });
    expect(await kept('careful')).toMatchObject({ mfa: 'required', days: 3 });
    await seed({ name: 'careful', mfa_grace_days: 0 });
    expect(errorOf(await users())).toBe('mfa_enrollment_required');
    await seed({ name: 'careful', mfa: 'optional' });
    await users().expect(200);
  });

  it('has its own audit entry', async () => {
    await seed({ name: 'audited', mfa: 'required' });
    const { id } = (await kept('audited')) as { id: string };
    const events = await eventsOf(app, 'resource = $1', [`role:${id}`]);
    expect(events.at(-1)).toMatchObject({
      action: 'role.seed',
      changes: { mfa: { before: 'optional', after: 'required' } },
    });
  });

  it.each([
    [{ mfa: 'always' }, 'mfa'],
    [{ mfa: null }, 'mfa'],
    [{ mfa: true }, 'mfa'],
    [{ mfa_grace_days: -1 }, 'mfa_grace_days'],
    [{ mfa_grace_days: 366 }, 'mfa_grace_days'],
    [{ mfa_grace_days: 1.5 }, 'mfa_grace_days'],
    [{ mfa_grace_days: '3' }, 'mfa_grace_days'],
  ])('is rejected with its path: %j', (fields, member) => {
    const text = JSON.stringify({ roles: [{ name: 'careful', ...fields }] });
    expect(() => parseRoleFile(text, () => null)).toThrow(`roles[0].${member} must be`);
  });
});
