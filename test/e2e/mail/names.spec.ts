import { mailAfterRequest, tokenOf } from '../../support/flows.js';
import { type ReceivedMail, useMailedApp } from '../../support/mailbox.js';
import { createPerson, PASSWORD, type Person, signIn } from '../../support/people.js';
import { addAuthenticator } from '../../support/second-factors.js';

const EVIL = 'http://evil.example/click';
const SPELLINGS = [EVIL, 'Win at evil.example', 'www.evil.example', 'ann@evil.example', 'evil．example', 't.co/evil'];
const NAME = 'Congratulations';

describe('the name of a user in mails', () => {
  const world = useMailedApp({
    env: { AUTH_OTP_ENABLED: 'true', RATE_LIMIT_ENABLED: 'false' },
  });
  let counter = 0;

  const address = (): string => `reader${(counter += 1)}@example.com`;
  const post = (path: string, body: unknown, token?: string) =>
    (token === undefined ? world.app.asGuest() : world.app.as(token)).post(`/api/auth/${path}`, body);
  const assertMissing = (mail: ReceivedMail, text: string): void => {
    for (const part of [mail.subject, mail.text, mail.html, mail.headers['to'] ?? ''])
      expect(part.normalize('NFKC')).not.toContain(text.normalize('NFKC'));
    expect(mail.text).toMatch(/^Hello,$/m);
  };

  async function registered(firstName: string): Promise<{ email: string; mail: ReceivedMail }> {
    const email = address();
    const body = { email, password: PASSWORD, password_confirmation: PASSWORD, first_name: firstName };
    await post('local/register', body).expect(201);
    return { email, mail: await mailAfterRequest(world, email) };
  }

  it.each([...SPELLINGS, NAME])('is missing until the address is verified: %s', async (name) => {
    const { email, mail } = await registered(name);
    assertMissing(mail, name);
    await post('local/activate/send', { email }).expect(200);
    assertMissing(await mailAfterRequest(world, email), name);
  });

  it('is missing in every mail to an unverified account', async () => {
    const person = await createPerson(world.app, { firstName: NAME, emailVerifiedAt: null });
    const mails: ReceivedMail[] = [];
    const mailed = async (): Promise<void> => void mails.push(await mailAfterRequest(world, person.email));
    const token = await signIn(world.app, person);
    await post('otp/request', { email: person.email }).expect(200);
    await mailed();
    await post('local/recover', { email: person.email }).expect(200);
    await mailed();
    const change = { new_email: address(), current_password: PASSWORD };
    await post('local/email/change', change, token).expect(200);
    await mailed();
    mails.push(await world.mailTo(change.new_email));
    await post('keys', { name: 'ci', current_password: PASSWORD, expires_in_days: 30 }, token).expect(201);
    await mailed();
    const password = 'another walnut 53';
    const body = { current_password: PASSWORD, password, password_confirmation: password };
    await post('local/password', body, token).expect(200);
    await mailed();
    expect(mails).toHaveLength(6);
    for (const mail of mails) assertMissing(mail, NAME);
  });

  it('is missing in the mail about the first verification, and shown in later mails', async () => {
    const person = await createPerson(world.app, { firstName: NAME, emailVerifiedAt: null });
    await post('otp/request', { email: person.email }).expect(200);
    const { codes } = await mailAfterRequest(world, person.email);
    await post('otp/verify', { email: person.email, code: codes[0] }).expect(200);
    assertMissing(await mailAfterRequest(world, person.email), NAME);
    await post('local/recover', { email: person.email }).expect(200);
    expect((await mailAfterRequest(world, person.email)).text).toContain(`Hello ${NAME},`);
  });

  it('is missing in the mail to a new address, and shown in the mail to the current one', async () => {
    const person = await createPerson(world.app, { firstName: NAME });
    const change = { new_email: address(), current_password: PASSWORD };
    await post('local/email/change', change, await signIn(world.app, person)).expect(200);
    expect((await mailAfterRequest(world, person.email)).text).toContain(`Hello ${NAME},`);
    assertMissing(await world.mailTo(change.new_email), NAME);
  });

  it.each(SPELLINGS)('is missing if it looks like an address, even if verified: %s', async (name) => {
    const person = await createPerson(world.app, { firstName: name });
    await post('local/recover', { email: person.email }).expect(200);
    assertMissing(await mailAfterRequest(world, person.email), name);
  });

  describe('and the name of a factor', () => {
    const added = async (name: string): Promise<{ person: Person; token: string; id: string }> => {
      const person = await createPerson(world.app);
      const token = await signIn(world.app, person);
      const { id } = await addAuthenticator(world.app, token, name);
      return { person, token, id };
    };

    it.each(SPELLINGS)('become no link: %s', async (name) => {
      const { person, token, id } = await added(name);
      const mails = [await mailAfterRequest(world, person.email)];
      await world.app.as(token).delete(`/api/auth/mfa/${id}`).expect(200);
      mails.push(await mailAfterRequest(world, person.email));
      for (const mail of mails)
        for (const part of [mail.subject, mail.text, mail.html])
          expect(part.normalize('NFKC')).not.toMatch(/evil\.example|t\.co/);
    });

    it('are shown in other cases', async () => {
      const { person } = await added('Ann’s phone (2)');
      expect((await mailAfterRequest(world, person.email)).text).toContain('Ann’s phone (2)');
    });
  });

  it('does not remove links of the service from the mail', async () => {
    const { mail } = await registered(EVIL);
    expect(tokenOf(mail)).not.toBe('');
    expect(mail.links.every((link) => link.startsWith(world.app.config.appUrl))).toBe(true);
  });
});
