import type * as en from '../en/entry.js';

/** Signing in. */
export const signIn: typeof en.signIn = {
  title: 'Anmelden',
  submit: 'Anmelden',
  why: {
    expired: 'Ihre Sitzung ist beendet. Bitte melden Sie sich wieder an.',
    left: 'Sie sind abgemeldet.',
    deleted: 'Ihr Konto ist gelöscht. Danke, dass Sie hier waren.',
    linked: 'Der Anbieter ist jetzt mit Ihrem Konto verknüpft. Bitte melden Sie sich wieder an.',
  },
  exchanging: 'Sie werden angemeldet',
  ways: 'Wege, sich anzumelden',
  withPassword: 'Mit Passwort',
  withCode: 'Mit Code',
  noWay: 'Hier ist noch kein Weg eingerichtet, sich anzumelden. Wenden Sie sich an die Verwaltung.',
  or: 'oder',
  continueWith: (provider) => `Weiter mit ${provider}`,
  passwordForm: 'Mit Passwort anmelden',
  codeForm: 'Mit einem Einmalcode anmelden',
  codeRequestForm: 'Einen Einmalcode anfordern',
  codeHint: 'An diese Adresse senden wir einen Code.',
  sendCode: 'Code senden',
  codeSent: (email, time) => `Wenn ${email} ein Konto hat, ist ein Code unterwegs. Er ist ${time} gültig.`,
  sendAnotherCode: 'Noch einen Code senden',
  anotherCodeSent: 'Noch ein Code ist unterwegs. Der frühere gilt nicht mehr.',
  otherAddress: 'Eine andere Adresse nehmen',
  activationAgain: 'Aktivierungs-E-Mail noch einmal senden',
  notSetUp:
    'Hier kann sich noch niemand anmelden. Der Dienst hat beim Start und in seinem Protokoll einen Link ausgegeben: Öffnen Sie ihn, um das erste Verwaltungskonto anzulegen.',
  forgot: 'Passwort vergessen?',
  create: 'Konto anlegen',
  unaskedTitle: 'Haben Sie das begonnen?',
  unaskedLead:
    'Diese Anmeldung wurde nicht in diesem Tab begonnen. Wenn Sie einem Link von jemand anderem gefolgt sind, meldet sie Sie womöglich bei dessen Konto an statt bei Ihrem.',
  again: 'Neu anmelden',
  startedIt: 'Ich habe sie begonnen, weiter',
};

/** Signing in to an app. */
export const appSignIn: typeof en.appSignIn = {
  title: 'Bei einer App anmelden',
  submit: 'Bei der App anmelden',
  damagedTitle: 'Dieser Anmeldelink ist beschädigt',
  damagedLead: 'Beginnen Sie die Anmeldung in der App noch einmal.',
  receiver: 'Wer diese Anmeldung bekommt',
  thisComputer: 'Eine App auf diesem Computer',
  warning: (appName) =>
    `Wenn Sie sich hier anmelden, bekommt sie Zugang zu Ihrem Konto bei ${appName}. Machen Sie nur weiter, wenn Sie diese Anmeldung gerade selbst begonnen haben; sonst schließen Sie diese Seite.`,
  continueForm: 'Weiter zur App',
  continueAs: (login) => `Weiter als ${login}`,
  otherAccount: 'Ein anderes Konto nehmen',
};

/** Making an account. */
export const register: typeof en.register = {
  title: 'Konto anlegen',
  submit: 'Konto anlegen',
  haveOne: 'Ich habe schon ein Konto',
  ready: 'Ihr Konto ist bereit',
  readyLead: 'Sie können sich jetzt anmelden.',
  created: 'Ihr Konto ist angelegt',
  createdLead: 'Die Verwaltung muss es aktivieren, bevor Sie sich anmelden können.',
  mailSent: (email) =>
    `Wir haben eine E-Mail an ${email} gesendet. Öffnen Sie den Link darin, um Ihr Konto zu aktivieren.`,
};

/** Activating an account. */
export const activate: typeof en.activate = {
  title: 'Konto aktivieren',
  lead: 'Ein Klick, und Sie können sich anmelden. Wenn Sie sich hier nicht registriert haben, schließen Sie diese Seite.',
  submit: 'Konto aktivieren',
  alreadyActive: 'Schon aktiv? Anmelden',
  done: 'Ihr Konto ist aktiv',
  doneLead: 'Sie können sich jetzt anmelden.',
  requestLead:
    'Geben Sie die E-Mail-Adresse ein, mit der Sie sich registriert haben. Wir senden die Aktivierungs-E-Mail noch einmal.',
  requestForm: 'Aktivierungs-E-Mail anfordern',
  linkSent: (email) =>
    `Wenn ${email} ein Konto hat, das auf die Aktivierung wartet, ist eine E-Mail mit einem Link unterwegs.`,
  codeSent: 'Wenn das Konto auf die Aktivierung wartet, ist eine E-Mail mit einem Code unterwegs.',
};

/** A forgotten password. */
export const recover: typeof en.recover = {
  title: 'Passwort vergessen?',
  lead: 'Geben Sie die E-Mail-Adresse Ihres Kontos ein. Wir senden Ihnen eine E-Mail, mit der Sie ein neues Passwort wählen.',
  requestForm: 'Ein neues Passwort anfordern',
  linkSent: (email) =>
    `Wenn ${email} hier ein Konto hat, ist eine E-Mail mit einem Link unterwegs. Der Link ist eine Stunde gültig.`,
  codeSent: (email) => `Wenn ${email} hier ein Konto hat, ist eine E-Mail mit einem Code unterwegs.`,
  continue: 'Weiter',
  resetTitle: 'Neues Passwort wählen',
  resetLead:
    'Das beendet jede Sitzung Ihres Kontos, auf allen Geräten. Wenn Sie kein neues Passwort angefordert haben, schließen Sie diese Seite; nichts hat sich geändert.',
  save: 'Neues Passwort speichern',
  newLink: 'Neuen Link anfordern',
  newMail: 'Neue E-Mail anfordern',
  alsoOpens: (names) =>
    `Ihr Konto lässt sich auch mit ${names} öffnen. Entfernen Sie auch das, wenn Sie nicht alles davon wiedererkennen; Sie können es später wieder verknüpfen.`,
  done: 'Ihr Passwort ist geändert',
  doneLead: 'Jede Sitzung Ihres Kontos ist beendet. Melden Sie sich mit dem neuen Passwort an.',
};

/** Another e-mail address. */
export const emailChange: typeof en.emailChange = {
  confirmTitle: 'Neue Adresse bestätigen',
  confirmLead: 'Ihr Konto benutzt diese Adresse von jetzt an. Wenn Sie das nicht wollten, schließen Sie diese Seite.',
  confirm: 'Neue Adresse bestätigen',
  confirmed: 'Ihre E-Mail-Adresse ist geändert',
  confirmedLead: 'Benutzen Sie von jetzt an die neue Adresse.',
  cancelTitle: 'Änderung der Adresse abbrechen?',
  cancelLead:
    'Jemand möchte die E-Mail-Adresse Ihres Kontos ändern. Wenn Sie abbrechen, behalten Sie Ihre Adresse und werden überall abgemeldet.',
  cancel: 'Änderung abbrechen',
  cancelled: 'Die Änderung ist abgebrochen',
  cancelledLead:
    'Ihre Adresse bleibt, wie sie war, und jede Sitzung ist beendet. Wenn jemand anderes die Änderung wollte, kennt er Ihr Passwort:',
  newPassword: 'Wählen Sie ein neues',
};

/** An account that somebody else made for the person. */
export const invitation: typeof en.invitation = {
  title: 'Ihre Einladung',
  welcome: (appName) => `Willkommen bei ${appName}`,
  lead: 'Für Sie wurde ein Konto angelegt. Wählen Sie ein Passwort, und es gehört Ihnen.',
  accept: 'Einladung annehmen',
  spent:
    'Diese Einladung gilt nicht mehr: Sie wurde angenommen, zurückgenommen oder noch einmal gesendet, oder sie ist älter als sieben Tage. Bitten Sie um eine neue, wer Sie eingeladen hat.',
  done: 'Ihr Konto ist bereit',
  doneLead: 'Melden Sie sich mit Ihrer E-Mail-Adresse und Ihrem neuen Passwort an.',
};

/** The first administrator. */
export const setup: typeof en.setup = {
  title: (appName) => `${appName} einrichten`,
  lead: 'Legen Sie das erste Verwaltungskonto an.',
  form: 'Einrichten',
  submit: 'Verwaltungskonto anlegen',
  nothing: 'Hier ist nichts einzurichten',
  nothingLead: 'Man meldet sich hier bei einem Anbieter an.',
  complete: 'Die Einrichtung ist abgeschlossen',
  completeLead: 'Das erste Verwaltungskonto gibt es schon.',
  done: (appName) => `${appName} ist eingerichtet`,
  nextSignedIn: 'Sie sind als erste Verwalterin oder erster Verwalter angemeldet. Wie es weitergeht:',
  next: 'Wie es weitergeht:',
  toAccount: 'Zu Ihrem Konto',
  steps: {
    schema: {
      title: 'Ein Schema anlegen',
      text: 'Was Ihre Einträge sind: eine Datei in data/schemas oder eine Anfrage. Tabelle und API sind sofort da.',
    },
    roles: {
      title: 'Sagen, wer was darf',
      text: 'Rollen und ihre Rechte stehen in einer Datei, die sich jederzeit wieder anwenden lässt.',
    },
    invite: { title: 'Menschen einladen', text: 'Jede Person bekommt eine E-Mail und wählt das Passwort.' },
    api: {
      title: 'Die API lesen',
      text: 'Alles, was es gibt, mit Beispielen zum Ausprobieren:',
      link: 'die API-Referenz',
    },
    app: {
      title: 'Eine App bauen',
      text: 'Ihre Web-App verlinkt auf die Anmeldung hier und bekommt ihre Leute zurück. Woraus ihre Typen entstehen:',
      link: 'das OpenAPI-Dokument',
    },
  },
};
