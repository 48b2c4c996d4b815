import type * as en from '../en/diagram.js';
import { pluralsOf } from '../sentence.js';

const count = pluralsOf('de');

/** The diagram of the schemas. */
export const diagram: typeof en.diagram = {
  label: 'Diagramm der Schemata',
  around: 'Rund um',
  everything: 'Alle Schemata',
  layOut: 'Neu anordnen',
  saveSvg: 'Als SVG speichern',
  savePng: 'Als PNG speichern',
  notSaved: 'Ihr Browser konnte das Bild nicht zeichnen. Speichern Sie es als SVG.',
  none: 'Es gibt noch keine eigenen Schemata.',
  more: (fields) => count(fields, { one: '# weiteres Feld', other: '# weitere Felder' }),
  canvas: {
    use: 'Mit Eingabe oder Leertaste auswählen, dann mit den Pfeiltasten verschieben, mit Esc loslassen.',
    moved: ({ direction, x, y }) => `Verschoben (${direction}), nach ${x}, ${y}.`,
    zoom: 'Vergrößerung',
    zoomIn: 'Vergrößern',
    zoomOut: 'Verkleinern',
    showAll: 'Alles zeigen',
  },
};
