import { PasswordHasher } from '../../src/identity/users/passwords/password-hasher.port.js';
import type { NewUser } from '../../src/identity/users/users.service.js';
import { UsersService } from '../../src/identity/users/users.service.js';
import type { TestApp } from './test-app.js';

/** A password that satisfies every password rule. */
export const PASSWORD = 'sturdy walnut 47';

export interface Person {
  readonly id: string;
  readonly email: string;
  readonly username: string | null;
  readonly password: string;
}

let counter = 0;

/** Inserts an account; by default it is active and has the role `user`. */
export async function createPerson(
  app: TestApp,
  input: Partial<NewUser> & { password?: string } = {},
): Promise<Person> {
  counter += 1;
  const { password = PASSWORD, ...fields } = input;
  const passwordHash =
    fields.passwordHash === undefined ? await app.get(PasswordHasher).hash(password) : fields.passwordHash;
  const user = await app.database.transaction((manager) =>
    app.get(UsersService).create(manager, {
      email: `person${counter}.${Math.random().toString(36).slice(2)}@example.com`,
      provider: 'local',
      activated: true,
      emailVerifiedAt: app.clock.now(),
      roles: ['user'],
      ...fields,
      passwordHash,
    }),
  );
  return { id: user.id, email: user.email, username: user.username, password };
}

export async function signIn(app: TestApp, person: Pick<Person, 'email' | 'password'>): Promise<string> {
  const response = await app
    .asGuest()
    .post('/api/auth/local/login', { login: person.email, password: person.password })
    .expect(200);
  return (response.body as { token: string }).token;
}

export async function signedIn(app: TestApp, input: Partial<NewUser> = {}): Promise<{ person: Person; token: string }> {
  const person = await createPerson(app, input);
  return { person, token: await signIn(app, person) };
}
