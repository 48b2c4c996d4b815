import { useTestApp } from '../../support/test-app.js';
import { accounts, signUp } from './support/sign-up.js';

describe('twenty equal concurrent registrations', () => {
  const world = useTestApp({ env: { AUTH_REG_RESERVED_USERNAMES: 'admin' } });

  it.each<[string, (index: number) => Record<string, unknown>, string]>([
    ['with the same spelling', () => ({ email: 'ann@example.com' }), 'email_taken'],
    [
      'in different case',
      (index) => ({ email: index % 2 === 0 ? 'Bob@Example.com' : 'bob@EXAMPLE.com' }),
      'email_taken',
    ],
    [
      'with the domain in different scripts',
      (index) => ({ email: ['c@bücher.example', 'C@BÜCHER.example', 'c@xn--bcher-kva.example'][index % 3] }),
      'email_taken',
    ],
    [
      'with one username in different case',
      (index) => ({ email: `user${index}@example.com`, username: index % 2 === 0 ? 'Same.Name' : 'same.name' }),
      'username_taken',
    ],
  ])('%s create one account', async (_, fieldsOf, error) => {
    const before = (await accounts(world.app)).length;
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => signUp(world.app, fieldsOf(index))));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    const refused = answers.filter(({ status }) => status === 400).map(({ body }) => body.data.error as string);
    expect(refused).toEqual(Array.from({ length: 19 }, () => error));
    expect(await accounts(world.app)).toHaveLength(before + 1);
  });
});
