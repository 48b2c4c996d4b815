import type * as en from '../en/diagram.js';
import { pluralsOf } from '../rich-text.js';

const count = pluralsOf('de');
const DIRECTIONS: Readonly<Record<string, string>> = {
  up: 'Nach oben',
  down: 'Nach unten',
  left: 'Nach links',
  right: 'Nach rechts',
};

export const diagram: typeof en.diagram = {
  label: 'Diagramm der Schemas',
  around: 'Rund um',
  everything: 'Alle Schemas',
  layOut: 'Neu anordnen',
  saveSvg: 'Als SVG speichern',
  savePng: 'Als PNG speichern',
  notSaved: 'Ihr Browser konnte das Bild nicht zeichnen. Speichern Sie es als SVG.',
  none: 'Noch keine Schemas.',
  more: (fields) => count(fields, { one: '# weiteres Feld', other: '# weitere Felder' }),
  canvas: {
    use: 'Mit Eingabe oder Leertaste auswählen, dann mit den Pfeiltasten verschieben, mit Esc loslassen.',
    moved: ({ direction, x, y }) => `${DIRECTIONS[direction] ?? direction} verschoben, auf ${x}, ${y}.`,
    schema: 'Schema',
    relation: 'Beziehung',
    relationUse: 'Sie verbindet zwei Schemas.',
    by: 'Gezeichnet mit React Flow',
    zoom: 'Vergrößerung',
    zoomIn: 'Vergrößern',
    zoomOut: 'Verkleinern',
    showAll: 'Alles zeigen',
  },
};
