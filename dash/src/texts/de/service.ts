import type * as en from '../en/service.js';
import { pluralsOf, sentence } from '../sentence.js';

const count = pluralsOf('de');

/** What the service itself has to say, for those who run it. */
export const service: typeof en.service = {
  title: 'Dienst',
  parts: 'Teile des Dienstes',
  partNames: { mails: 'E-Mails', audit: 'Protokoll', settings: 'Einstellungen' },
  nothingOpen: 'Nichts davon ist Ihnen zugänglich.',
  more: 'Mehr zeigen',
  mails: {
    lead: 'Solche, die noch nicht gesendet oder aufgegeben wurden. Gesendete werden nicht aufbewahrt.',
    state: 'Zeigen',
    all: 'Alle',
    states: { pending: 'Wartet', failed: 'Aufgegeben' },
    none: 'Es gibt keine.',
    written: (when) => sentence('geschrieben ', when),
    attempts: (attempts) => count(attempts, { one: '# Versuch', other: '# Versuche' }),
    due: (when) => sentence('nächster Versuch ', when),
    retry: 'Noch einmal versuchen',
    retryOne: (template, recipient) => `Noch einmal versuchen: ${template} an ${recipient}`,
    retried: 'Sie wird sofort noch einmal versucht. Was gesendet ist, verschwindet aus dieser Liste.',
    gone: 'Diese E-Mail wurde inzwischen gesendet, oder sie ist zu alt.',
  },
  audit: {
    lead: 'Wer was getan hat, das Neueste zuerst. Auch dass Sie es lesen, wird aufgeschrieben. „Wer“ und „Woran“ nennen eines (account:…, user:…) oder eine Art (guest, system, user), das Ergebnis ist success oder ein Fehler.',
    filter: 'Filtern',
    clear: 'Alles zeigen',
    filters: {
      actor: 'Wer',
      action: 'Handlung',
      resource: 'Woran',
      outcome: 'Ergebnis',
      since: 'Von',
      until: 'Bis',
    },
    none: 'Nichts dergleichen wurde getan.',
    success: 'Getan',
    details: 'Einzelheiten',
    address: 'Adresse',
    request: 'Anfrage',
    key: 'API-Schlüssel',
  },
  settings: {
    lead: 'Was gilt, aus der Umgebung oder als Voreinstellung. Geheimnisse werden nicht gezeigt.',
    search: 'Nach Namen suchen',
    setOnly: 'Nur was gesetzt ist',
    none: 'Keine Einstellung heißt so.',
    empty: 'leer',
    set: 'gesetzt',
  },
};
