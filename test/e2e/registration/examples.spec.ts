import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { useTestApp } from '../../support/test-app.js';
import { AcmeModule } from './support/acme.module.js';
import { accounts, signUp } from './support/sign-up.js';

describe('the TypeScript example of docs/extending.md', () => {
  const world = useTestApp({ modules: [AcmeModule] });

  it('is the one that is tested here', () => {
    const page = readFileSync(join(__dirname, '../../../docs/extending.md'), 'utf8');
    const example = /```ts\n(.*?)```/s.exec(page)?.[1];
    const tested = readFileSync(join(__dirname, 'support/acme.module.ts'), 'utf8');
    expect(tested.replaceAll("'../../../../src/", "'../")).toBe(example);
  });

  it('does what the page says', async () => {
    const staff = await signUp(world.app, { email: 'ann@acme.example' }).expect(400);
    expect(staff.body).toEqual({
      code: '400',
      message: 'Please use "Sign in with Google".',
      data: { error: 'registration_rejected' },
    });
    const trash = await signUp(world.app, { email: 'ann@trash.example' }).expect(400);
    expect(trash.body.data.error).toBe('email_domain_blocked');
    await signUp(world.app, { email: 'ann@example.com' }).expect(201);
    expect(await accounts(world.app)).toEqual([{ email: 'ann@example.com', username: 'user-ann', provider: 'local' }]);
  });
});
