import type { CSSProperties } from 'react';
import type { RecordValues } from '../data/record-changes.js';
import type { RecordSchema } from '../data/record-schema.js';
import type { Place } from './grid-keys.js';
import type { Selection } from './selection.js';
import type { CellEdits } from './use-cell-edits.js';

export interface GridRowProps {
  readonly schema: RecordSchema;
  readonly columns: readonly string[];
  readonly row: RecordValues | undefined;
  readonly index: number;
  readonly style: CSSProperties;
  readonly place: Place;
  readonly open: Place | null;
  readonly selection: Selection;
  readonly edits: CellEdits;
  readonly onPlace: (place: Place) => void;
  readonly onOpen: (place: Place | null) => void;
  readonly onToggle: (id: string) => void;
  /** Returns the focus to a cell. */
  readonly onLeave: (place: Place) => void;
}
