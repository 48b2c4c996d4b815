import type * as en from '../en/sign-in.js';

export const signIn: typeof en.signIn = {
  title: 'Anmelden',
  submit: 'Anmelden',
  why: {
    expired: 'Ihre Sitzung ist beendet. Bitte melden Sie sich wieder an.',
    left: 'Sie sind abgemeldet.',
    deleted: 'Ihr Konto wurde gelöscht.',
    linked: 'Der Anbieter ist jetzt mit Ihrem Konto verknüpft. Bitte melden Sie sich wieder an.',
  },
  exchanging: 'Sie werden angemeldet',
  ways: 'Anmeldemethoden',
  withPasskey: 'Mit einem Passkey anmelden',
  withPassword: 'Mit Passwort',
  withCode: 'Mit Code',
  noMethods: 'Es ist keine Anmeldemethode eingerichtet. Wenden Sie sich an die Verwaltung.',
  or: 'oder',
  continueWith: (provider) => `Weiter mit ${provider}`,
  passwordForm: 'Mit Passwort anmelden',
  codeForm: 'Mit einem Einmalcode anmelden',
  codeRequestForm: 'Einen Einmalcode anfordern',
  codeHint: 'An diese Adresse senden wir einen Code.',
  sendCode: 'Code senden',
  codeSent: (email, time) => `Wenn ${email} ein Konto hat, ist ein Code unterwegs. Er ist ${time} gültig.`,
  sendAnotherCode: 'Noch einen Code senden',
  anotherCodeSent: 'Ein weiterer Code ist unterwegs. Der vorige gilt nicht mehr.',
  otherAddress: 'Eine andere Adresse verwenden',
  activationAgain: 'Aktivierungs-E-Mail noch einmal senden',
  notSetUp:
    'Es gibt noch kein Verwaltungskonto. Öffnen Sie den Link im Protokoll des Dienstes, um das erste anzulegen.',
  forgot: 'Passwort vergessen?',
  create: 'Konto anlegen',
  unsolicited: {
    title: 'Haben Sie diese Anmeldung begonnen?',
    lead: 'Diese Anmeldung wurde nicht in diesem Tab begonnen. Wenn Sie einem Link von jemand anderem gefolgt sind, meldet sie Sie womöglich bei dessen Konto an statt bei Ihrem.',
  },
  unconfirmed: {
    title: 'Anmeldung bestätigen',
    lead: 'Machen Sie nur weiter, wenn Sie sich gerade selbst beim Anbieter angemeldet haben. Diese Seite verwendet http und kann deshalb nicht prüfen, ob die Anmeldung in diesem Tab begonnen wurde. Mit https entfällt diese Frage.',
  },
  again: 'Neu anmelden',
  iStartedIt: 'Ich habe diese Anmeldung begonnen, weiter',
};

export const appSignIn: typeof en.appSignIn = {
  title: 'Bei einer App anmelden',
  submit: 'Bei der App anmelden',
  damagedTitle: 'Dieser Anmeldelink ist beschädigt',
  damagedLead: 'Beginnen Sie die Anmeldung in der App noch einmal.',
  receiver: 'App',
  thisComputer: 'Eine App auf diesem Computer',
  warning: (appName) =>
    `Wenn Sie sich hier anmelden, bekommt sie Zugang zu Ihrem Konto bei ${appName}. Machen Sie nur weiter, wenn Sie diese Anmeldung gerade selbst begonnen haben; sonst schließen Sie diese Seite.`,
  continueForm: 'Weiter zur App',
  continueAs: (login) => `Weiter als ${login}`,
  otherAccount: 'Ein anderes Konto verwenden',
};
