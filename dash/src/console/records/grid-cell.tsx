import { type KeyboardEvent, useState } from 'react';
import { FIELD_KINDS } from '../fields/field-kinds.js';
import { InvalidInput } from '../fields/values.js';
import type { GridRowProps } from './grid-row.types.js';
import type { RecordValues } from '../data/record-changes.js';
import type { RecordField } from '../data/record-schema.js';
import classes from './records.module.css';

interface GridCellProps extends GridRowProps {
  readonly id: string;
  readonly row: RecordValues;
  readonly name: string;
  readonly column: number;
  readonly tabIndex: number;
}

/** One value. Enter, F2 or a double click edits it. */
export function GridCell(props: GridCellProps) {
  const { schema, name, row, id, index, column, tabIndex, open, edits, onCellFocus, onOpen } = props;
  const field = schema.fields.find((item) => item.name === name);
  if (field === undefined) return <div role="gridcell" className={classes.cell} />;
  const change = edits.changed(id, name);
  const value = change === null ? row[name] : change.value;
  const isOpen = open?.row === index && open.column === column;
  if (isOpen) return <OpenCell {...props} field={field} value={value} />;
  const { Cell } = FIELD_KINDS[field.type];
  const startEditing = (): void => {
    if (isEditable(field)) onOpen({ row: index, column });
  };
  return (
    <div
      role="gridcell"
      className={classes.cell}
      data-row={index}
      data-column={column}
      data-changed={change === null ? undefined : true}
      data-conflict={edits.conflict?.id === id ? true : undefined}
      aria-colindex={column + 1}
      aria-readonly={!isEditable(field)}
      tabIndex={tabIndex}
      onFocus={() => onCellFocus({ row: index, column })}
      onDoubleClick={startEditing}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== 'F2') return;
        event.preventDefault();
        startEditing();
      }}
    >
      <span className={classes.text}>
        <Cell field={field} value={value} />
      </span>
    </div>
  );
}

function OpenCell({
  id,
  row,
  name,
  index,
  column,
  field,
  value,
  edits,
  onOpen,
  onLeave,
}: GridCellProps & { field: RecordField; value: unknown }) {
  const [typed, setTyped] = useState(value);
  const { Input } = FIELD_KINDS[field.type];
  function close(isSaved: boolean, value = typed): void {
    if (isSaved && value instanceof InvalidInput) return;
    if (isSaved) void edits.edit(id, row, name, value);
    onOpen(null);
    onLeave({ row: index, column });
  }
  function onKeyDown(event: KeyboardEvent): void {
    event.stopPropagation();
    if (event.key === 'Escape') close(false);
    else if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      close(true);
    }
  }
  return (
    <div
      role="gridcell"
      className={classes.cell}
      data-open
      onKeyDown={onKeyDown}
      onBlur={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) close(true);
      }}
    >
      <Input
        field={field}
        label={field.label}
        value={typed}
        inCell
        autoFocus
        onChange={(next) => {
          setTyped(next);
          // Selecting a related record closes the cell. Typing keeps it open.
          if (field.target !== undefined && !field.many && next !== null) close(true, next);
        }}
      />
    </div>
  );
}

/** Returns whether a value can be edited in its cell. Long values, lists and values that need a confirmation are edited in the form. */
function isEditable({ generated, immutable, confirmed, many, type }: RecordField): boolean {
  return !generated && !immutable && !confirmed && !many && !['json', 'bytes', 'text', 'file'].includes(type);
}
