import type * as en from '../en/registration-errors.js';

export const registrationErrors: typeof en.registrationErrors = {
  noRegistration: 'Die Registrierung ist deaktiviert. Melden Sie sich bei einem der Anbieter an.',
  password_too_short: 'Verwenden Sie mindestens 8 Zeichen.',
  password_too_long: 'Verwenden Sie höchstens 256 Zeichen.',
  password_too_common: 'Dieses Passwort gehört zu den häufigsten. Wählen Sie ein anderes.',
  password_mismatch: 'Die Passwörter stimmen nicht überein.',
  username_taken: 'Dieser Benutzername ist vergeben. Wählen Sie einen anderen.',
  username_reserved: 'Dieser Benutzername ist nicht möglich. Wählen Sie einen anderen.',
  username_invalid:
    'Verwenden Sie nur Buchstaben, Ziffern, „.“, „_“ und „-“. Der Name darf nicht wie eine E-Mail-Adresse aussehen.',
  activation_not_by_email: 'Konten werden nicht per E-Mail aktiviert. Wenden Sie sich an die Verwaltung.',
  email_taken: 'Es gibt schon ein Konto mit dieser E-Mail-Adresse.',
};
