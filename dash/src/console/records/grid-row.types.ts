import type { CSSProperties } from 'react';
import type { RecordValues } from '../data/record-changes.js';
import type { RecordSchema } from '../data/record-schema.js';
import type { CellPosition } from './grid-keys.js';
import type { Selection } from './selection.js';
import type { CellEdits } from './use-cell-edits.js';

export interface GridRowProps {
  readonly schema: RecordSchema;
  readonly columns: readonly string[];
  readonly row: RecordValues | undefined;
  readonly index: number;
  readonly style: CSSProperties;
  readonly position: CellPosition;
  readonly open: CellPosition | null;
  readonly selection: Selection;
  readonly edits: CellEdits;
  readonly onCellFocus: (position: CellPosition) => void;
  readonly onOpen: (position: CellPosition | null) => void;
  readonly onToggle: (id: string) => void;
  /** Returns the focus to a cell. */
  readonly onLeave: (position: CellPosition) => void;
}
