import type * as en from '../en/errors.js';

const BUSY = 'Der Dienst ist ausgelastet oder wird gerade neu gestartet. Versuchen Sie es gleich noch einmal.';
const NOT_UNDERSTOOD = 'Der Dienst konnte die Anfrage dieser Seite nicht verarbeiten. Laden Sie die Seite neu.';
const NOT_OFFERED = 'Das ist nicht verfügbar.';
const ENDED = 'Ihre Sitzung ist beendet. Bitte melden Sie sich wieder an.';
const DOMAIN_REFUSED = 'E-Mail-Adressen dieser Domain sind hier nicht möglich.';
const NO_ADDRESS = 'Geben Sie eine Adresse wie name@example.org ein.';

export const errors: typeof en.errors = {
  // connection to the service
  unreachable: 'Der Dienst ist nicht erreichbar. Prüfen Sie Ihre Verbindung und versuchen Sie es noch einmal.',
  unreadable: 'Die Antwort des Dienstes ist nicht gültig. Versuchen Sie es gleich noch einmal.',
  internal_error: 'Im Dienst ist etwas schiefgegangen. Versuchen Sie es gleich noch einmal.',
  database_unavailable: BUSY,
  server_busy: BUSY,
  not_ready: BUSY,
  shutting_down: BUSY,
  request_timeout:
    'Ihre Anfrage kam nicht rechtzeitig an. Prüfen Sie Ihre Verbindung und versuchen Sie es noch einmal.',
  rate_limited: 'Zu viele Versuche. Warten Sie ein wenig und versuchen Sie es noch einmal.',
  route_not_found: NOT_OFFERED,
  method_not_allowed: NOT_OFFERED,
  body_malformed: NOT_UNDERSTOOD,
  body_too_large: 'Die Eingabe ist zu lang.',
  content_encoding_unsupported: NOT_UNDERSTOOD,
  content_type_unsupported: NOT_UNDERSTOOD,
  validation_failed: 'Einige Felder sind nicht gültig. Prüfen Sie die markierten Felder.',
  cross_site_request:
    'Die Anfrage kam nicht von dieser Seite. Laden Sie die Seite neu und versuchen Sie es noch einmal.',
  step_up_required:
    'Ihre Anmeldung liegt zu lange zurück. Melden Sie sich ab und wieder an, und wiederholen Sie dies innerhalb von zehn Minuten.',
  permission_denied: 'Sie haben keine Berechtigung dafür.',

  // signing in
  invalid_credentials: 'Benutzername, E-Mail-Adresse oder Passwort stimmt nicht.',
  account_inactive: 'Dieses Konto ist nicht aktiv.',
  local_login_disabled: 'Die Anmeldung mit Passwort ist deaktiviert. Verwenden Sie eine andere Anmeldemethode.',
  otp_disabled: 'Die Anmeldung mit Code ist deaktiviert. Verwenden Sie eine andere Anmeldemethode.',
  otp_invalid: 'Der Code stimmt nicht oder ist abgelaufen. Prüfen Sie ihn oder fordern Sie einen neuen an.',
  mfa_required: 'Ihr Konto erfordert einen zweiten Faktor.',
  mfa_enrollment_required:
    'Fügen Sie auf Ihrer Kontoseite einen zweiten Faktor hinzu. Ihre Rolle verlangt ihn, oder der bisherige ging verloren.',
  mfa_invalid: 'Der Code stimmt nicht, ist abgelaufen oder wurde schon benutzt. Warten Sie auf den nächsten.',
  passkey_invalid:
    'Der Passkey ist nicht registriert, oder seine Signatur ist nicht gültig. Verwenden Sie eine andere Anmeldemethode.',
  mfa_token_invalid: 'Diese Anmeldung ist abgelaufen oder schon abgeschlossen. Melden Sie sich neu an.',
  code_invalid: 'Diese Anmeldung ist abgelaufen oder schon abgeschlossen. Melden Sie sich neu an.',

  // signing in with a provider
  provider_not_found: 'Dieser Anbieter wird hier nicht angeboten.',
  provider_denied:
    'Der Anbieter hat die Anmeldung nicht abgeschlossen. Möglicherweise haben Sie sie abgebrochen. Versuchen Sie es noch einmal.',
  provider_unavailable:
    'Der Anbieter antwortet nicht. Versuchen Sie es später noch einmal, oder verwenden Sie eine andere Anmeldemethode.',
  provider_failed:
    'Die Antwort des Anbieters ist nicht gültig. Versuchen Sie es noch einmal, oder verwenden Sie eine andere Anmeldemethode.',
  state_invalid:
    'Diese Anmeldung ist abgelaufen oder wurde in einem anderen Browser begonnen. Beginnen Sie noch einmal.',
  email_not_verified:
    'Der Anbieter hat Ihre E-Mail-Adresse nicht bestätigt. Bestätigen Sie sie dort, und versuchen Sie es dann noch einmal.',
  email_unusable:
    'Die E-Mail-Adresse Ihres Kontos beim Anbieter kann hier nicht verwendet werden. Korrigieren Sie sie dort, und versuchen Sie es dann noch einmal.',
  email_taken_by_other_method:
    'Es gibt schon ein Konto mit dieser E-Mail-Adresse. Melden Sie sich dort an, und verknüpfen Sie den Anbieter dann auf Ihrer Kontoseite.',
  identity_mismatch: 'Dieses Anbieterkonto ist nicht mit Ihrem Konto verknüpft. Verwenden Sie das verknüpfte Konto.',
  identity_taken: 'Dieses Anbieterkonto ist schon mit einem anderen Konto verknüpft.',

  // signing in to an app
  cli_login_disabled: 'Die Anmeldung bei Apps ist deaktiviert.',
  carrier_invalid: 'Diese Anmeldeanfrage ist abgelaufen oder wurde schon benutzt. Beginnen Sie in der App noch einmal.',
  redirect_uri_not_allowed: 'Die Rücksprungadresse der App ist nicht erlaubt.',

  // registering, passwords, addresses
  email_invalid: NO_ADDRESS,
  email_domain_not_allowed: DOMAIN_REFUSED,
  email_domain_blocked: DOMAIN_REFUSED,

  // links, codes, tokens
  token_invalid: 'Dieser Link oder Code gilt nicht mehr. Möglicherweise wurde er schon benutzt.',
  token_expired: 'Dieser Link oder Code ist abgelaufen.',
  token_missing: 'Sie sind nicht angemeldet.',
  refresh_token_invalid: ENDED,
  refresh_token_expired: ENDED,
  refresh_token_reused: 'Ihre Sitzung wurde zum Schutz Ihres Kontos widerrufen. Bitte melden Sie sich wieder an.',
  refresh_disabled: ENDED,
};

export const fieldErrors: typeof en.fieldErrors = {
  required: 'Füllen Sie dieses Feld aus.',
  email_invalid: NO_ADDRESS,
};

export const otherErrors: typeof en.otherErrors = {
  signInFailed: 'Die Anmeldung ist fehlgeschlagen. Versuchen Sie es noch einmal.',
  failed: 'Die Aktion ist fehlgeschlagen. Versuchen Sie es gleich noch einmal.',
  fieldInvalid: 'Das ist nicht gültig.',
  waitFor: (time) => `Zu viele Versuche. Warten Sie ${time} und versuchen Sie es noch einmal.`,
  named: (text, fields) => `${text} (Felder: ${fields})`,
  reference: (text, id) => `${text} (Kennung: ${id})`,
  notCurrentPassword: 'Das ist nicht Ihr jetziges Passwort.',
  registrationRejected: 'Sie können sich hier nicht registrieren. Wenden Sie sich an die Verwaltung.',
};
