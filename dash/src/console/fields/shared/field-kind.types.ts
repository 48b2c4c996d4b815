import type { ReactNode } from 'react';
import type { Json, Operator } from '../../filter/filter-tree.js';
import type { RecordField } from '../../data/record-schema.js';

/** Properties of a cell. */
export interface CellProps {
  readonly field: RecordField;
  readonly value: unknown;
}

/** Properties of an input. */
export interface InputProps extends CellProps {
  /** For what it is read out as; it stands above it unless it is in a cell. */
  readonly label: string;
  readonly inCell?: boolean;
  readonly error?: string | undefined;
  readonly disabled?: boolean;
  readonly autoFocus?: boolean;
  readonly onChange: (value: unknown) => void;
  /** Shows further links; only of a relation of which not all links are shown. */
  readonly onMore?: () => Promise<void>;
}

/** Way in which a field of a type is filtered by. */
export interface FilterKind {
  /** The usual one first. */
  readonly operators: readonly Operator[];
  /** Reads what was typed; undefined for what no value of the type is. */
  readonly read: (text: string) => Json | undefined;
  readonly write: (value: Json) => string;
}

/** A member of the definition of a field that has a meaning for its type. */
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

/** Ways in which fields of a type are shown, written, filtered by and defined. */
export interface FieldKind {
  readonly Cell: (props: CellProps) => ReactNode;
  readonly Input: (props: InputProps) => ReactNode;
  readonly filter: FilterKind;
  readonly settings: readonly Setting[];
}
