import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkAppearance, SIZES } from './support/appearance-checks.mjs';
import { assertCleanAddress, see, seeHeading, tabTo } from './support/pages.mjs';

const NEW_PASSWORD = 'violet lantern over 9 docks';

const ENGLISH = {
  locale: 'en-GB',
  signIn: 'Sign in',
  create: 'Create an account',
  password: 'Password',
  repeat: 'Repeat password',
  checkMail: 'Check your e-mail',
  activate: 'Activate your account',
  activateIt: 'Activate account',
  active: 'Your account is active',
  toSignIn: 'Go to sign-in',
  toAccount: 'Go to your account',
  login: 'User name or e-mail',
  account: 'Your account',
  changeName: 'Change name, user name or language',
  firstName: 'First name',
  lastName: 'Last name',
  save: 'Save',
  saved: 'Your profile was saved.',
  changePassword: 'Change password',
  current: 'Current password',
  newPassword: 'New password',
  repeatNew: 'Repeat new password',
  strong: 'Strong',
  changed: 'Your password was changed',
  changeAddress: 'Change e-mail address',
  newAddress: 'New e-mail address',
  sent: 'We have sent a link to',
  confirm: 'Confirm your new address',
  confirmIt: 'Confirm new address',
  confirmed: 'Your e-mail address has been changed',
  link: 'Link Acme',
  linked: 'Acme is now linked to your account.',
  unlink: 'Remove Acme',
  unlinked: 'The provider was unlinked.',
  signOutThere: 'Sign out Chrome on Linux',
  signedOutThere: 'The session was signed out.',
  download: 'Download your data',
  ready: 'The file is in your downloads',
  erase: 'Delete your account',
  whatHappens: 'Effects',
  gone: 'Your account was deleted.',
  refused: 'The user name, e-mail address or password is wrong.',
};

const GERMAN = {
  locale: 'de-DE',
  signIn: 'Anmelden',
  create: 'Konto anlegen',
  password: 'Passwort',
  repeat: 'Passwort wiederholen',
  checkMail: 'Prüfen Sie Ihre E-Mails',
  activate: 'Konto aktivieren',
  activateIt: 'Konto aktivieren',
  active: 'Ihr Konto ist aktiv',
  toSignIn: 'Zur Anmeldung',
  toAccount: 'Zu Ihrem Konto',
  login: 'Benutzername oder E-Mail',
  account: 'Ihr Konto',
  changeName: 'Name, Benutzername oder Sprache ändern',
  firstName: 'Vorname',
  lastName: 'Nachname',
  save: 'Speichern',
  saved: 'Ihr Profil wurde gespeichert.',
  changePassword: 'Passwort ändern',
  current: 'Jetziges Passwort',
  newPassword: 'Neues Passwort',
  repeatNew: 'Neues Passwort wiederholen',
  strong: 'Stark',
  changed: 'Ihr Passwort wurde geändert',
  changeAddress: 'E-Mail-Adresse ändern',
  newAddress: 'Neue E-Mail-Adresse',
  sent: 'Wir haben einen Link an',
  confirm: 'Neue Adresse bestätigen',
  confirmIt: 'Neue Adresse bestätigen',
  confirmed: 'Ihre E-Mail-Adresse wurde geändert',
  link: 'Acme verknüpfen',
  linked: 'Acme ist jetzt mit Ihrem Konto verknüpft.',
  unlink: 'Acme entfernen',
  unlinked: 'Die Verknüpfung wurde entfernt.',
  signOutThere: 'Chrome auf Linux abmelden',
  signedOutThere: 'Die Sitzung wurde abgemeldet.',
  download: 'Ihre Daten herunterladen',
  ready: 'Die Datei ist in Ihren Downloads',
  erase: 'Konto löschen',
  whatHappens: 'Auswirkungen',
  gone: 'Ihr Konto wurde gelöscht.',
  refused: 'Benutzername, E-Mail-Adresse oder Passwort stimmt nicht.',
};

/** All steps of an account, from registration to deletion, by keyboard. Each step is checked visually. */
export const accountLifecycleScenarios = {
  'account lifecycle: registration to deletion, by keyboard, in English': (world) => live(world, ENGLISH, 'en'),
  'account lifecycle: registration to deletion, by keyboard, in German': (world) => live(world, GERMAN, 'de'),
};

async function live(world, words, language) {
  const visitor = await world.visitor({ locale: words.locale });
  const life = { world, words, visitor, page: visitor.page, person: world.newPerson(), wrong: [], step: 0, language };
  world.provider.meet();
  await register(life);
  await enter(life);
  await changeName(life);
  await changePassword(life);
  await changeAddress(life);
  await linkAndUnlink(life);
  await endAnotherSession(life);
  await takeAlong(life);
  await leave(life);
  assert.deepEqual(life.wrong, []);
}

/** Takes the screenshots of a step and records its faults, then restores the page. */
async function look(life, name) {
  life.step += 1;
  const number = String(life.step).padStart(2, '0');
  const path = join(life.world.artifacts, `life-${life.language}-${number}-${name}`);
  life.wrong.push(...(await checkAppearance(life.page, path)).map((fault) => `${name}: ${fault}`));
  await life.page.setViewportSize(SIZES.wide);
}

async function type(page, label, text) {
  await tabTo(page, label);
  await page.keyboard.press('Control+A');
  await page.keyboard.type(text);
}

async function choose(page, name) {
  await tabTo(page, name);
  await page.keyboard.press('Enter');
}

async function register(life) {
  const { page, world, words, person } = life;
  await page.goto(`${world.main.url}/dash/login`);
  await seeHeading(page, words.signIn);
  await look(life, 'sign-in');
  await choose(page, words.create);
  await seeHeading(page, words.create);
  await page.keyboard.type(person.email);
  await type(page, words.password, person.password);
  await type(page, words.repeat, person.password);
  await see(page, words.strong);
  await look(life, 'register');
  await page.keyboard.press('Enter');
  await seeHeading(page, words.checkMail);
  await look(life, 'mail-sent');
  await page.goto((await world.mailbox.mailTo(person.email)).links[0]);
  await seeHeading(page, words.activate);
  assertCleanAddress(page, '/auth/local/activate');
  await look(life, 'activate');
  await choose(page, words.activateIt);
  await seeHeading(page, words.active);
  await look(life, 'active');
}

async function enter(life) {
  const { page, visitor, world, words, person } = life;
  await choose(page, words.toSignIn);
  await seeHeading(page, words.signIn);
  await type(page, words.login, person.email);
  await type(page, words.password, person.password);
  await page.keyboard.press('Enter');
  await seeHeading(page, words.account);
  await look(life, 'account');
  await page.reload();
  await seeHeading(page, words.account);
  const second = await visitor.newPage();
  await second.goto(`${world.main.url}/dash`);
  await seeHeading(second, words.account);
  await see(second, person.email);
  await second.close();
}

async function changeName(life) {
  const { page, words } = life;
  await choose(page, words.changeName);
  await type(page, words.firstName, 'Ännchen');
  await type(page, words.lastName, 'of the Long Harbour Road');
  await look(life, 'name');
  await choose(page, words.save);
  await see(page, words.saved);
  await see(page, 'Ännchen of the Long Harbour Road');
  await look(life, 'name-saved');
}

async function changePassword(life) {
  const { page, world, words, person } = life;
  await choose(page, words.changePassword);
  await page.keyboard.type(person.password);
  await type(page, words.newPassword, NEW_PASSWORD);
  await see(page, words.strong);
  await type(page, words.repeatNew, NEW_PASSWORD);
  await look(life, 'password');
  await page.keyboard.press('Enter');
  await see(page, words.changed);
  await look(life, 'password-changed');
  person.password = NEW_PASSWORD;
  await world.mailbox.mailTo(person.email, 2);
}

async function changeAddress(life) {
  const { page, visitor, world, words, person } = life;
  const email = `new-${person.email}`;
  await choose(page, words.changeAddress);
  await page.keyboard.type(email);
  await type(page, words.current, person.password);
  await look(life, 'address');
  await page.keyboard.press('Enter');
  await see(page, words.sent);
  await look(life, 'address-sent');
  // In a separate tab, as from a mail program.
  const tab = await visitor.newPage();
  await tab.goto((await world.mailbox.mailTo(email)).links[0]);
  await seeHeading(tab, words.confirm);
  const inTab = { ...life, page: tab };
  await look(inTab, 'address-confirm');
  await choose(tab, words.confirmIt);
  await seeHeading(tab, words.confirmed);
  await look(inTab, 'address-confirmed');
  await choose(tab, words.toAccount);
  await see(tab, email);
  life.step = inTab.step;
  await tab.close();
  await page.reload();
  await see(page, email);
  person.email = email;
}

async function linkAndUnlink(life) {
  const { page, words, person } = life;
  await choose(page, words.link);
  await page.getByLabel(words.current, { exact: true }).waitFor();
  await page.keyboard.type(person.password);
  await look(life, 'link');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Continue as Ada' }).waitFor();
  await choose(page, 'Continue as Ada');
  await see(page, words.linked);
  assertCleanAddress(page, '/dash/account');
  await look(life, 'linked');
  await choose(page, words.unlink);
  await see(page, words.unlinked);
  await look(life, 'unlinked');
}

async function endAnotherSession(life) {
  const { page, world, words, person } = life;
  const { page: other } = await world.visitor({ locale: words.locale });
  await other.goto(`${world.main.url}/dash/login`);
  await other.getByLabel(words.login).fill(person.email);
  await other.getByLabel(words.password, { exact: true }).fill(person.password);
  await other.keyboard.press('Enter');
  await seeHeading(other, words.account);
  await page.reload();
  await page.getByRole('button', { name: words.signOutThere }).waitFor();
  await look(life, 'sessions');
  await choose(page, words.signOutThere);
  await see(page, words.signedOutThere);
  await look(life, 'session-ended');
  await other.reload();
  await seeHeading(other, words.signIn);
}

async function takeAlong(life) {
  const { page, words, person } = life;
  const [download] = await Promise.all([page.waitForEvent('download'), choose(page, words.download)]);
  const { account } = JSON.parse(await readFile(await download.path(), 'utf8'));
  assert.deepEqual([account.email, account.first_name], [person.email, 'Ännchen']);
  await see(page, words.ready);
  await look(life, 'downloaded');
}

async function leave(life) {
  const { page, world, words, person } = life;
  await choose(page, words.erase);
  await see(page, words.whatHappens);
  await page.keyboard.type(person.email);
  await type(page, words.current, person.password);
  await look(life, 'delete');
  await page.keyboard.press('Enter');
  await seeHeading(page, words.signIn);
  await see(page, words.gone);
  await look(life, 'deleted');
  await world.mailbox.mailTo(person.email, 2);
  await type(page, words.login, person.email);
  await type(page, words.password, person.password);
  await page.keyboard.press('Enter');
  await see(page, words.refused);
  await look(life, 'refused');
}
