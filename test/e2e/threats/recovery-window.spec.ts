import { JobWorker } from '../../../src/platform/jobs/job-worker.service.js';
import { mailAfterRequest, tokenOf } from '../../support/flows.js';
import { useMailedApp } from '../../support/mailbox.js';
import { addPasskey, passkeySignIn } from '../../support/passkeys.js';
import { PASSWORD, type Person, signedIn, signIn } from '../../support/people.js';
import { writeRecoveryCode } from '../../support/second-factors.js';

const NEW = 'a wholly new walnut';
const DAY = 86_400;

describe('second factors older than the recovery window', () => {
  const world = useMailedApp();

  const post = (path: string, body: unknown) => world.app.asGuest().post(`/api/auth/${path}`, body);

  /** Creates an account with an old passkey, and requests its recovery. */
  async function recovering() {
    const { person, token } = await signedIn(world.app);
    const passkey = await addPasskey(world.app, token);
    await world.app.get(JobWorker).drain();
    world.app.clock.advance(8 * DAY);
    await post('local/recover', { email: person.email }).expect(200);
    await mailAfterRequest(world, person.email);
    const proof = tokenOf(await world.mailbox.waitFor(person.email, 2));
    const reset = { token: proof, password: NEW, password_confirmation: NEW, revoke: ['passkeys'] };
    return { person, passkey, reset };
  }

  const hasPasskey = async ({ id }: Person) =>
    (await world.app.sql('SELECT 1 FROM passkeys WHERE user_id = $1', [id])).length > 0;

  it('are listed with their creation time, and revoked after the waiting time', async () => {
    const { person, passkey, reset } = await recovering();
    const { body: list } = await post('local/recover/identities', { token: reset.token }).expect(200);
    expect(list).toEqual({
      data: [
        {
          kind: 'passkeys',
          id: expect.any(String),
          name: 'Key ring',
          detail: null,
          created_at: expect.stringMatching(/Z$/),
        },
      ],
    });
    const { body } = await post('local/recover/reset', reset).expect(200);
    const dueAt = Date.parse((body as { reset_due_at: string }).reset_due_at);
    expect(dueAt - world.app.clock.nowMs()).toBeGreaterThan((DAY - 60) * 1_000);
    expect(await hasPasskey(person)).toBe(true);
    expect((await world.mailTo(person.email)).to).toContain(person.email);
    world.app.clock.advance(DAY + 1);
    await world.app.get(JobWorker).drain();
    expect(await hasPasskey(person)).toBe(false);
    expect((await passkeySignIn(world.app, passkey)).status).toBe(401);
    await signIn(world.app, { email: person.email, password: NEW });
  });

  it('stay if their owner uses one meanwhile', async () => {
    const { person, passkey, reset } = await recovering();
    await post('local/recover/reset', reset).expect(200);
    expect((await passkeySignIn(world.app, passkey)).status).toBe(200);
    world.app.clock.advance(DAY + 1);
    await world.app.get(JobWorker).drain();
    expect(await hasPasskey(person)).toBe(true);
  });

  it('stay if the address of the account changes meanwhile', async () => {
    const { person, reset } = await recovering();
    await post('local/recover/reset', reset).expect(200);
    await world.app.sql(`UPDATE users SET email = 'x' || email, email_key = 'x' || email_key WHERE id = $1`, [
      person.id,
    ]);
    world.app.clock.advance(DAY + 1);
    await world.app.get(JobWorker).drain();
    expect(await hasPasskey(person)).toBe(true);
  });

  it('are revoked immediately with a recovery code, and not with a wrong one', async () => {
    const { person, reset } = await recovering();
    const code = await writeRecoveryCode(world.app, person.id);
    const wrong = await post('local/recover/reset', { ...reset, method: 'recovery_code', code: 'aaaa-aaaa-aaaa' });
    expect(wrong.status).toBe(401);
    expect(await hasPasskey(person)).toBe(true);
    const { body } = await post('local/recover/reset', { ...reset, method: 'recovery_code', code }).expect(200);
    expect(body).toEqual({ data: true });
    expect(await hasPasskey(person)).toBe(false);
    await signIn(world.app, { email: person.email, password: NEW });
  });

  it.each([
    [{ revoke: 'everything' }, 'revoke'],
    [{ revoke: ['sessions'] }, 'revoke'],
    [{ revoke: ['keys', 'keys'] }, 'revoke'],
    [{ revoke: '2026-01-01' }, 'revoke'],
    [{ revoke: {} }, 'revoke'],
    [{ revoke: 1 }, 'revoke'],
    [{ method: 'password', code: PASSWORD }, 'method'],
    [{ method: 'passkey', credential: {} }, 'method'],
    [{ code: '123456' }, 'method'],
    [{ method: 'recovery_code' }, 'code'],
  ])('are kept where the body has %j', async (body, field) => {
    const { person, reset } = await recovering();
    const answer = await post('local/recover/reset', { ...reset, ...body });
    const { errors } = (answer.body as { data: { errors: { field: string }[] } }).data;
    expect([answer.status, errors.map((one) => one.field)]).toEqual([422, [field]]);
    expect(await hasPasskey(person)).toBe(true);
  });
});
