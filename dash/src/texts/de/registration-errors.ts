import type * as en from '../en/registration-errors.js';

const NAME_REFUSED = 'Dieser Benutzername ist nicht möglich. Wählen Sie einen anderen.';

export const registrationErrors: typeof en.registrationErrors = {
  noRegistration: 'Hier lassen sich keine Konten anlegen. Melden Sie sich bei einem der Anbieter an.',
  password_too_short: 'Nehmen Sie mindestens 8 Zeichen.',
  password_too_long: 'Nehmen Sie höchstens 256 Zeichen.',
  password_too_common: 'Dieses Passwort gehört zu den häufigsten. Wählen Sie ein anderes.',
  password_mismatch: 'Die beiden Passwörter sind verschieden.',
  username_taken: 'Dieser Benutzername ist vergeben. Wählen Sie einen anderen.',
  username_reserved: NAME_REFUSED,
  username_invalid: NAME_REFUSED,
  activation_not_by_email: 'Konten werden hier nicht per E-Mail aktiviert. Wenden Sie sich an die Verwaltung.',
  email_taken: 'Diese E-Mail-Adresse gehört schon zu einem Konto.',
};
