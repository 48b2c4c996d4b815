import { Module } from '@nestjs/common';
import { MailModule } from '../../../src/platform/mail/mail.module.js';
import { defineMail, Mailer } from '../../../src/platform/mail/mailer.port.js';
import { mailAfterRequest } from '../../support/flows.js';
import { useMailedApp } from '../../support/mailbox.js';
import { signedIn } from '../../support/people.js';
import { newAddress } from './support/mails.js';

const texts = (word: string) => ({ subject: word, html: `<p>${word} {{validity}}</p>`, text: `${word} {{validity}}` });
const HELLO = defineMail('acme-hello', {
  ...texts('Hello'),
  languages: { fr: texts('Bonjour') },
  variables: { expiresInMinutes: { sample: '60' } },
});

@Module({ imports: [MailModule.forRoot({ mails: [HELLO] })] })
class GreetingModule {}

const PASSWORD = 'sturdy walnut 47';
const ME = '/api/auth/me';

describe('languages of users', () => {
  const world = useMailedApp({
    modules: [GreetingModule],
    env: { AUTH: JSON.stringify({ providers: { local: { activation_method: 'email' } } }) },
  });
  const languageOf = async (email: string) =>
    (await world.app.sql<{ language: string | null }>('SELECT language FROM users WHERE email = $1', [email]))[0]!
      .language;
  const register = async (accepted?: string, query = '') => {
    const email = newAddress();
    const body = { email, password: PASSWORD, password_confirmation: PASSWORD };
    const request = world.app.asGuest().post(`/api/auth/local/register${query}`, body);
    await (accepted === undefined ? request : request.set('accept-language', accepted)).expect(201);
    return { email, mail: await world.mailTo(email) };
  };

  it.each<[string, string | undefined, string, string | null, RegExp]>([
    ['the language of the browser', 'de-AT,de;q=0.9,en;q=0.8', '', 'de', /^Bestätigen Sie Ihre Adresse/],
    ['the language of the URL before that of the browser', 'en', '?lang=de', 'de', /^Bestätigen/],
    ['the best available language', 'fr;q=0.9, de;q=0.3', '?lang=xx', 'de', /^Bestätigen/],
    ['no language if none is requested', undefined, '', null, /^Confirm your address/],
    ['no language if none is available', 'fr, *;q=0.1', '?lang=de&lang=en', null, /^Confirm/],
    ['no language for invalid tags', "de';DROP TABLE users, __proto__", '?lang=[]', null, /^Confirm/],
  ])('a new account has %s, and its first mail, too', async (_what, accepted, query, language, subject) => {
    const { email, mail } = await register(accepted, query);
    expect(await languageOf(email)).toBe(language);
    expect(mail.subject).toMatch(subject);
    expect(mail.html).toContain(`<html lang="${language ?? 'en'}" dir="ltr">`);
    expect(mail.text).toMatch(language === 'de' ? /24 Stunden gültig/ : /valid for 24 hours/);
  });

  it('uses the language of the profile for later mails and ignores the request', async () => {
    const { person, token } = await signedIn(world.app);
    const me = world.app.as(token);
    expect((await me.patch(ME, { language: 'DE-at' }).expect(200)).body.language).toBe('de-AT');
    expect((await me.get(ME).expect(200)).body.language).toBe('de-AT');
    await world.app.asGuest().post('/api/auth/local/recover', { email: person.email }).set('accept-language', 'en');
    expect((await mailAfterRequest(world, person.email)).subject).toMatch(/^Wählen Sie ein neues Passwort/);
    await me.patch(ME, { language: null }).expect(200);
    expect((await me.get(ME).expect(200)).body.language).toBeNull();
  });

  it.each(['', 'deutsch!', 'd', 'de_DE', '../de', 'x'.repeat(36), 7, ['de'], { $ne: '' }])(
    'rejects %j with its field',
    async (language) => {
      const { token } = await signedIn(world.app);
      const { body } = await world.app.as(token).patch(ME, { first_name: 'Ann', language }).expect(422);
      expect((body.data.errors as { field: string }[]).map(({ field }) => field)).toEqual(['language']);
      expect((await world.app.as(token).get(ME).expect(200)).body).toMatchObject({ language: null, first_name: null });
    },
  );

  it('may be a language of the application only; mails of the service fall back completely', async () => {
    const { person, token } = await signedIn(world.app);
    await world.app.as(token).patch(ME, { language: 'fr-CA' }).expect(200);
    await world.app.database.transaction((manager) =>
      world.app.get(Mailer).enqueue(manager, {
        template: HELLO,
        to: person.email,
        language: 'fr-CA',
        variables: { expiresInMinutes: 60 },
      }),
    );
    const own = await world.mailTo(person.email);
    expect([own.subject, own.text.split('\n')[0]]).toEqual(['Bonjour', 'Bonjour 1 heure']);
    expect(own.html).toContain('<html lang="fr" dir="ltr">');
    await world.app.asGuest().post('/api/auth/local/recover', { email: person.email });
    await mailAfterRequest(world, person.email);
    const ours = world.mailbox.mailsTo(person.email).at(-1)!;
    expect(ours.subject).toMatch(/^Choose a new password/);
    expect(ours.text).toContain('valid for 1 hour ');
  });

  it('set by an administrator may be unsupported: the mail is still sent', async () => {
    const { token } = await signedIn(world.app, { roles: ['admin'] });
    const email = newAddress();
    const body = { email, invite: true, language: '%%%' };
    await world.app.as(token).post('/api/content/users', body).expect(201);
    expect((await world.mailTo(email)).subject).toMatch(/^You are invited/);
  });
});

describe('a service with German as its language', () => {
  const world = useMailedApp({ env: { APP_LANGUAGE: 'de' } });

  it('sends German mails by default, and others on request', async () => {
    const [one, other] = [await signedIn(world.app), await signedIn(world.app)];
    await world.app.as(other.token).patch(ME, { language: 'en' }).expect(200);
    for (const { person } of [one, other])
      await world.app.asGuest().post('/api/auth/local/recover', { email: person.email }).expect(200);
    expect((await mailAfterRequest(world, one.person.email)).subject).toMatch(/^Wählen Sie/);
    expect((await world.mailTo(other.person.email)).subject).toMatch(/^Choose/);
  });
});
