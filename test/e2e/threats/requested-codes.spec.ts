import { AUTH_LIMITS } from '../../../src/identity/auth/auth.limits.js';
import { MAX_OWN_ATTEMPTS } from '../../../src/identity/auth/code-requesters/code-requesters.service.js';
import { race } from '../../support/flows.js';
import { useMailedApp } from '../../support/mailbox.js';
import { initiate, nativeApp } from '../../support/native-app.js';
import { OWNER, PHONE, requestedCodes, strangerAddress, wrongFor } from '../../support/requested-codes.js';
import { createPerson } from '../../support/people.js';

const ENV = {
  AUTH_CLI_LOGIN_ENABLED: 'true',
  RATE_LIMIT_ENABLED: 'true',
  AUTH_OTP_ENABLED: 'true',
  TRUST_PROXY: '1',
};

const world = useMailedApp({ env: ENV });
const { post, drain, newestCode, newestOf } = requestedCodes(world);

beforeEach(() => world.app.clock.advance(901));

describe('a sign-in code', () => {
  const ask = async (email: string, address = OWNER): Promise<void> => {
    await post('otp/request', { email }, address).expect(200);
    await drain();
  };
  const verify = (email: string, code: string, address = OWNER) => post('otp/verify', { email, code }, address);

  async function useUpAttempts(email: string, code: string): Promise<void> {
    for (let tries = 0; tries < 10; tries += 1) {
      const { status } = await verify(email, wrongFor(code, tries), strangerAddress());
      expect([401, 429]).toContain(status);
    }
  }

  it('is valid for the owner who requests it during the pause after a request of a stranger', async () => {
    const { email } = await createPerson(world.app);
    await ask(email, strangerAddress());
    world.app.clock.advance(1);
    await ask(email);
    const code = await newestCode(email);
    await useUpAttempts(email, code);
    await verify(email, code).expect(200);
  });

  it('is valid for the owner after a stranger replaced the code', async () => {
    const { email } = await createPerson(world.app);
    await ask(email);
    const older = await newestCode(email);
    world.app.clock.advance(31);
    await ask(email, strangerAddress());
    const code = await newestOf(email, 2);
    await useUpAttempts(email, code);
    if (older !== code) await verify(email, older).expect(older === code ? 200 : 429);
    await verify(email, code).expect(200);
  });

  it('is valid for the owner who requests it from two networks, on either', async () => {
    for (const used of [OWNER, PHONE]) {
      const { email } = await createPerson(world.app);
      await ask(email, OWNER);
      world.app.clock.advance(2);
      await ask(email, PHONE);
      const code = await newestCode(email);
      await useUpAttempts(email, code);
      await verify(email, code, used).expect(200);
    }
  });

  it('is valid for the owner after a stranger has used up the mails of the address', async () => {
    const { email } = await createPerson(world.app);
    for (let mails = 0; mails < AUTH_LIMITS.mailAddress.points; mails += 1) {
      await ask(email, strangerAddress());
      world.app.clock.advance(31);
    }
    await ask(email);
    const code = await newestOf(email, AUTH_LIMITS.mailAddress.points);
    await useUpAttempts(email, code);
    await verify(email, code).expect(200);
  });

  it('is valid for the owner after requests from a thousand addresses of four networks', async () => {
    const { email } = await createPerson(world.app);
    for (let sent = 0; sent < 1_000; sent += 50)
      await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          post('otp/request', { email }, `198.51.${(sent + index) >> 8}.${(sent + index) & 255}`).expect(200),
        ),
      );
    await drain();
    await ask(email);
    const code = await newestCode(email);
    await useUpAttempts(email, code);
    await verify(email, code).expect(200);
  });

  it('is valid for the owner in the network of a session, however many networks request codes', async () => {
    const { email, password } = await createPerson(world.app);
    await post('local/login', { login: email, password }).expect(200);
    for (let networks = 0; networks < 60; networks += 1) await ask(email, strangerAddress());
    await ask(email);
    const code = await newestCode(email);
    await useUpAttempts(email, code);
    await verify(email, code).expect(200);
  });

  it('is valid in every spelling of the address, by IPv6, and in a native app, after requests from 200 subnets', async () => {
    for (const isNative of [false, true]) {
      const { email } = await createPerson(world.app);
      for (let subnets = 0; subnets < 200; subnets += 1)
        await post('otp/request', { email: email.toUpperCase() }, `[2001:db8:7:${subnets.toString(16)}::1]:4000`);
      await drain();
      await ask(email.toUpperCase(), '2001:db8:9:1::2');
      const code = await newestCode(email);
      await useUpAttempts(email, code);
      const neighbour = '[2001:db8:9:1:ffff::3]:443';
      const body = { email, code, carrier: isNative ? await initiate(world.app, nativeApp()) : undefined };
      if (isNative) await post('cli/login/otp', body, neighbour).expect(302);
      else await verify(email, code, neighbour).expect(200);
    }
  });

  it('has one attempt for a client that requested it, also of 16 concurrent ones, however often it requests', async () => {
    const { email } = await createPerson(world.app);
    await ask(email);
    for (let requests = 0; requests < 3; requests += 1) await ask(email);
    const code = await newestCode(email);
    await useUpAttempts(email, code);
    expect((await race(16, () => verify(email, code)))[200]).toBe(1);
    const next = await createPerson(world.app);
    await ask(next.email);
    const digits = await newestCode(next.email);
    await useUpAttempts(next.email, digits);
    await verify(next.email, wrongFor(digits)).expect(429);
    await verify(next.email, digits).expect(429);
  });

  it('gets the same response for an address without an account', async () => {
    const seen: string[] = [];
    for (const email of [(await createPerson(world.app)).email, 'nobody@example.com']) {
      const answers: string[] = [];
      const addresses = [OWNER, PHONE, strangerAddress()];
      for (const address of addresses) await ask(email, address);
      for (let tries = 0; tries < 12; tries += 1) {
        const { status, body } = await verify(email, `x${tries}`, addresses[tries % 3]);
        answers.push(`${status} ${JSON.stringify(body)}`);
      }
      seen.push(answers.join('\n'));
    }
    expect(seen[0]).toBe(seen[1]);
    expect(seen[0]!.match(/^429/gm)).toHaveLength(12 - AUTH_LIMITS.signInCodeAccount.points);
  });

  it('gives strangers a bounded number of guesses', async () => {
    const person = await createPerson(world.app);
    const { email } = person;
    const addresses = Array.from({ length: 100 }, strangerAddress);
    for (const address of addresses) await ask(email, address);
    const code = await newestCode(email);
    let index = 0;
    const counts = await race(100, () => verify(email, wrongFor(code, index), addresses[index++]));
    expect(counts[200]).toBeUndefined();
    // Own attempts of strangers plus the seven of the address: 19 of 1,000,000 codes in 15 minutes.
    const { length } = await world.app.sql('SELECT 1 FROM code_requesters WHERE user_id = $1 AND attempted', [
      person.id,
    ]);
    expect(length).toBe(MAX_OWN_ATTEMPTS);
    expect(counts[401]! <= AUTH_LIMITS.signInCodeAccount.points + length).toBe(true);
  });
});
