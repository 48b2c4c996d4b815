import type { ReactNode } from 'react';
import type { Json, Operator } from '../filter/filter-tree.js';
import type { RecordField } from '../data/record-schema.js';

export interface CellProps {
  readonly field: RecordField;
  readonly value: unknown;
}

export interface InputProps extends CellProps {
  /** Accessible name; displayed above the input, except in a cell. */
  readonly label: string;
  readonly inCell?: boolean;
  readonly error?: string | undefined;
  readonly disabled?: boolean;
  readonly autoFocus?: boolean;
  readonly onChange: (value: unknown) => void;
  readonly onMore?: () => Promise<void>;
}

export interface FilterKind {
  /** The default operator comes first. */
  readonly operators: readonly Operator[];
  /** Returns undefined for invalid input. */
  readonly read: (text: string) => Json | undefined;
  readonly write: (value: Json) => string;
}

export type Setting =
  | 'size'
  | 'unique'
  | 'optional'
  | 'default'
  | 'immutable'
  | 'setter'
  | 'getter'
  | 'sortable'
  | 'filterable'
  | 'searchable'
  | 'enums'
  | 'relation'
  | 'multiple'
  | 'file';

export interface FieldKind {
  readonly Cell: (props: CellProps) => ReactNode;
  readonly Input: (props: InputProps) => ReactNode;
  readonly filter: FilterKind;
}
