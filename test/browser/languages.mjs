import assert from 'node:assert/strict';
import { join } from 'node:path';
import { assertCleanAddress, press, see, seeHeading, signIn, tabTo } from './support/pages.mjs';

export const languageScenarios = {
  'languages: a user registers, signs in, changes all settings and deletes the account, in German, by keyboard': async (
    world,
  ) => {
    const { main, mailbox } = world;
    const person = world.newPerson();
    const { page } = await world.visitor({ locale: 'de-AT' });
    const step = async (name) => {
      for (const colorScheme of ['light', 'dark']) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        await page.screenshot({ path: join(world.artifacts, `german-${name}-${colorScheme}.png`), fullPage: true });
      }
      await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
    };
    const type = async (label, text) => {
      await tabTo(page, label);
      await page.keyboard.press('Control+A');
      await page.keyboard.type(text);
    };

    await page.goto(`${main.url}/dash/login`);
    await seeHeading(page, 'Anmelden');
    assert.deepEqual(await documentProperties(page), { lang: 'de', dir: 'ltr', title: 'Anmelden · Harbour & Sons' });
    await step('login');
    await tabTo(page, 'Konto anlegen');
    await page.keyboard.press('Enter');
    await seeHeading(page, 'Konto anlegen');
    await page.keyboard.type(person.email);
    await type('Passwort', 'kurz');
    await see(page, 'Zu kurz: noch 4 Zeichen');
    await page.keyboard.press('Enter');
    await see(page, 'Verwenden Sie mindestens 8 Zeichen.');
    await step('register-faults');
    await page.keyboard.press('Control+A');
    await page.keyboard.type(person.password);
    await type('Passwort wiederholen', person.password);
    await page.keyboard.press('Enter');
    await seeHeading(page, 'Prüfen Sie Ihre E-Mails');
    await step('mail-sent');
    const mail = await mailbox.mailTo(person.email);
    assert.match(mail.text, /um zu bestätigen, dass die Adresse Ihnen gehört/);
    await page.goto(mail.links[0]);
    await seeHeading(page, 'Konto aktivieren');
    assertCleanAddress(page, '/auth/local/activate');
    await tabTo(page, 'Konto aktivieren');
    await page.keyboard.press('Enter');
    await seeHeading(page, 'Ihr Konto ist aktiv');
    await tabTo(page, 'Zur Anmeldung');
    await page.keyboard.press('Enter');
    await seeHeading(page, 'Anmelden');
    await type('Benutzername oder E-Mail', person.email);
    await type('Passwort', 'nicht mein Passwort');
    await page.keyboard.press('Enter');
    await see(page, 'Benutzername, E-Mail-Adresse oder Passwort stimmt nicht.');
    await type('Passwort', person.password);
    await page.keyboard.press('Enter');
    await seeHeading(page, 'Ihr Konto');
    await page.reload();
    await seeHeading(page, 'Ihr Konto');
    await see(page, /^Dabei seit/);
    await see(page, 'gerade eben');
    await step('account');

    await tabTo(page, 'Name, Benutzername oder Sprache ändern');
    await page.keyboard.press('Enter');
    await type('Vorname', 'Änne');
    await tabTo(page, 'Speichern');
    await page.keyboard.press('Enter');
    await see(page, 'Ihr Profil wurde gespeichert.');
    await see(page, 'Änne');
    await tabTo(page, 'Passwort ändern');
    await page.keyboard.press('Enter');
    await type('Neues Passwort', 'violet lantern over 9 docks');
    await see(page, 'Stark');
    await type('Neues Passwort wiederholen', 'violet lantern over 9 docks');
    await page.keyboard.press('Enter');
    await see(page, 'Geben Sie Ihr jetziges Passwort ein.');
    await step('password-faults');
    await page.keyboard.type(person.password);
    await page.keyboard.press('Enter');
    await see(page, 'Ihr Passwort wurde geändert');
    assert.match((await mailbox.mailTo(person.email, 2)).text, /Das Passwort Ihres Kontos/);
    await tabTo(page, 'Konto löschen');
    await page.keyboard.press('Enter');
    await see(page, 'Auswirkungen');
    await step('deletion');
    await page.keyboard.type(person.email);
    await type('Jetziges Passwort', 'violet lantern over 9 docks');
    await page.keyboard.press('Enter');
    await seeHeading(page, 'Anmelden');
    await see(page, 'Ihr Konto wurde gelöscht.');
    assert.match((await mailbox.mailTo(person.email, 3)).text, /^Hallo Änne,/);
  },

  'languages: the language of the account overrides the browser, also after a reload': async (world) => {
    const person = await world.person(world.main);
    const { page } = await world.visitor();
    await page.goto(`${world.main.url}/dash/login?lang=de`);
    await seeHeading(page, 'Anmelden');
    await press(page, 'English');
    await signIn(page, world.main, person);
    await press(page, 'Change name, user name or language');
    await page.getByRole('combobox', { name: 'Language' }).selectOption('de');
    await press(page, 'Save');
    await seeHeading(page, 'Ihr Konto');
    await see(page, 'Deutsch');
    await page.reload();
    await seeHeading(page, 'Ihr Konto');
    assert.deepEqual(await documentProperties(page), { lang: 'de', dir: 'ltr', title: 'Ihr Konto · Harbour & Sons' });
    await press(page, 'Abmelden');
    await seeHeading(page, 'Anmelden');
    await press(page, 'English');
    await seeHeading(page, 'Sign in');
  },

  'languages: a chosen language survives a reload, is kept in links and is saved in the account': async (world) => {
    const { main } = world;
    const person = await world.person(main);
    const { page } = await world.visitor();
    await page.goto(`${main.url}/dash/login`);
    await seeHeading(page, 'Sign in');
    await press(page, 'Deutsch');
    await seeHeading(page, 'Anmelden');
    await page.reload();
    await seeHeading(page, 'Anmelden');
    await page.getByRole('link', { name: 'Passwort vergessen?' }).click();
    await seeHeading(page, 'Passwort vergessen?');
    await page.reload();
    await seeHeading(page, 'Passwort vergessen?');
    await page.getByRole('link', { name: 'Zurück zur Anmeldung' }).click();
    await page.getByLabel('Benutzername oder E-Mail').fill(person.email);
    await page.getByLabel('Passwort', { exact: true }).fill(person.password);
    await press(page, 'Anmelden');
    // The account has no language setting.
    await seeHeading(page, 'Ihr Konto');
    await page.reload();
    await seeHeading(page, 'Ihr Konto');

    await page.goto(`${main.url}/dash/account`);
    await seeHeading(page, 'Your account');
    await press(page, 'Deutsch');
    await seeHeading(page, 'Ihr Konto');
    await page.reload();
    await seeHeading(page, 'Ihr Konto');
    const { page: elsewhere } = await world.visitor({ locale: 'fr-FR' });
    await elsewhere.goto(`${main.url}/dash/login`);
    await elsewhere.getByLabel('User name or e-mail').fill(person.email);
    await elsewhere.getByLabel('Password', { exact: true }).fill(person.password);
    await press(elsewhere, 'Sign in');
    await seeHeading(elsewhere, 'Ihr Konto');
    assert.deepEqual(await storedIn(page), []);
  },

  'languages: loads only the texts of the page, in its language': async (world) => {
    const { page } = await world.visitor({ locale: 'de-DE' });
    const scripts = [];
    page.on('request', (request) => request.resourceType() === 'script' && scripts.push(request.url()));
    await page.goto(`${world.main.url}/dash/login`);
    await seeHeading(page, 'Anmelden');
    assert.equal(scripts.filter((url) => /\/de-[^/]*\.js$/.test(url)).length, 1, scripts.join(' '));
    assert.equal(scripts.filter((url) => /\/en-[^/]*\.js$/.test(url)).length, 0, scripts.join(' '));
    const ofPages = () => scripts.filter((url) => /\/(account|entry|setup)-[\w-]{8}\.js$/.test(url)).length;
    assert.equal(ofPages(), 0, scripts.join(' '));
    await page.getByRole('link', { name: 'Konto anlegen' }).click();
    await seeHeading(page, 'Konto anlegen');
    assert.equal(ofPages(), 1, scripts.join(' '));
  },

  'languages: right-to-left languages have a right-to-left layout and fit a small screen': async (world) => {
    const person = await world.person(world.main);
    const { page } = await world.visitor();
    const mirrored = async (name) => {
      for (const width of [1280, 360]) {
        await page.setViewportSize({ width, height: 800 });
        const [ltr, rtl] = [await places(page, 'ltr'), await places(page, 'rtl')];
        await page.screenshot({ path: join(world.artifacts, `rtl-${name}-${width}.png`), fullPage: true });
        assert.ok(ltr.length > 5, `${name}: ${ltr.length}`);
        const odd = ltr.filter(({ start, end }, index) => {
          const there = rtl[index];
          return Math.abs(start - (width - there.end)) > 2 || Math.abs(end - (width - there.start)) > 2;
        });
        assert.deepEqual(
          odd.map(({ what }) => what),
          [],
          `${name} at ${width}`,
        );
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth), false);
      }
      await places(page, 'ltr');
    };
    await page.goto(`${world.main.url}/dash/login`);
    await page.getByRole('link', { name: 'Continue with Acme' }).waitFor();
    await mirrored('login');
    await page.setViewportSize({ width: 1280, height: 800 });
    await signIn(page, world.main, person);
    await see(page, 'This session');
    await mirrored('account');
  },
};

/** Returns the start and end of the page's boxes for a text direction. Texts with intrinsic width are measured by their container. */
function places(page, direction) {
  return page.evaluate((dir) => {
    document.documentElement.dir = dir;
    const boxes = [
      ...document.querySelectorAll('header > *, main section, main h1, main form > *, main button, main li'),
    ];
    return boxes.map((box) => {
      const { left, right } = box.getBoundingClientRect();
      return { what: `${box.tagName} ${box.textContent.slice(0, 40)}`, start: left, end: right };
    });
  }, direction);
}

function storedIn(page) {
  return page.evaluate(() => [
    ...Object.keys(localStorage),
    ...Object.keys(sessionStorage),
    ...document.cookie.split(';').filter(Boolean),
  ]);
}

function documentProperties(page) {
  return page.evaluate(() => {
    const { lang, dir } = document.documentElement;
    return { lang, dir, title: document.title };
  });
}
