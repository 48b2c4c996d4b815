import { DiaryModule, reactions } from '../../support/lifecycle-diary.js';
import { createPerson, signedIn } from '../../support/people.js';
import { useTestApp } from '../../support/test-app.js';

describe('the audit log of an application with sign-in hooks', () => {
  const world = useTestApp({ modules: [DiaryModule] });

  beforeAll(() => world.app.sql('CREATE TABLE diary (id bigserial PRIMARY KEY, account uuid, entry text)'));
  afterEach(() => reactions.clear());

  it('contains a sign-in once, and none that a hook rolled back', async () => {
    const { person } = await signedIn(world.app);
    reactions.set('logged in', () => {
      throw new Error('not today');
    });
    const refused = await createPerson(world.app);
    const body = { login: refused.email, password: refused.password };
    await world.app.asGuest().post('/api/auth/local/login', body).expect(500);
    const rows = await world.app.sql(`SELECT actor, outcome FROM audit_events WHERE action = 'session.begin'`);
    expect(rows).toEqual([{ actor: `account:${person.id}`, outcome: 'success' }]);
  });
});
