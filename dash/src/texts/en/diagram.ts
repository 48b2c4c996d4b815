import { pluralsOf } from '../rich-text.js';

const count = pluralsOf('en');

export const diagram = {
  label: 'Diagram of the schemas',
  around: 'Around',
  everything: 'All schemas',
  layOut: 'Rearrange',
  saveSvg: 'Save as SVG',
  savePng: 'Save as PNG',
  notSaved: 'Your browser could not create the image. Save it as SVG.',
  none: 'No schemas yet.',
  more: (fields: number) => count(fields, { one: '# more field', other: '# more fields' }),
  /** Texts for screen readers. */
  canvas: {
    use: 'Press Enter or Space to select it, then the arrow keys to move it, Escape to leave it.',
    moved: ({ direction, x, y }: { direction: string; x: number; y: number }) => `Moved ${direction}, to ${x}, ${y}.`,
    schema: 'schema',
    relation: 'relation',
    relationUse: 'It connects two schemas.',
    by: 'Drawn with React Flow',
    zoom: 'Zoom',
    zoomIn: 'Zoom in',
    zoomOut: 'Zoom out',
    showAll: 'Show all',
  },
};
