import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { explainAsText } from '../../api/explain.js';
import { describeFields } from '../data/translate-faults.js';
import { useTexts } from '../../texts/texts.js';
import { Loading } from '../../ui/loading.js';
import { Notice } from '../../ui/notice.js';
import { GridHead } from './grid-head.js';
import { moved, type CellPosition } from './grid-keys.js';
import { GridRow } from './grid-row.js';
import classes from './records.module.css';
import { headerState, NOTHING_SELECTED, type Selection, withToggled } from './selection.js';
import type { CellEdits } from './use-cell-edits.js';
import { type ListRequest, useRows } from './use-rows.js';

const ROW_PX = 40;
const OVERSCAN = 12;
const FIRST_ROWS = 30;

interface RecordGridProps extends ListRequest {
  readonly selection: Selection;
  readonly edits: CellEdits;
  readonly onSelection: (selection: Selection) => void;
  readonly onSort: (sort: readonly string[]) => void;
  /** Whether the user is changing the filter. The error of the current filter is hidden then. */
  readonly isCorrecting: boolean;
}

export function RecordGrid(props: RecordGridProps) {
  const { schema, view, columns, selection, edits, onSelection, onSort, isCorrecting } = props;
  const { records, recordFaults } = useTexts('records');
  const box = useRef<HTMLDivElement>(null);
  const [range, setRange] = useState({ from: 0, to: FIRST_ROWS });
  const rows = useRows(props, range.from, range.to);
  const [position, setPosition] = useState<CellPosition>({ row: 0, column: 0 });
  const [open, setOpen] = useState<CellPosition | null>(null);
  const virtual = useVirtualizer({
    count: rows.count,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_PX,
    overscan: OVERSCAN,
    scrollPaddingStart: ROW_PX,
  });
  const focusCell = useCellFocus(box);
  const items = virtual.getVirtualItems();
  const [from, to] = [items[0]?.index ?? 0, items.at(-1)?.index ?? FIRST_ROWS];
  useEffect(() => setRange({ from, to }), [from, to]);
  const template = templateOf(columns.length);

  function onKeyDown(event: KeyboardEvent): void {
    if (open !== null) return;
    const next = moved(position, event, {
      rows: rows.count,
      columns: columns.length + 2,
      page: Math.max(1, items.length - 2 * OVERSCAN),
    });
    if (next === null) return;
    event.preventDefault();
    setPosition(next);
    virtual.scrollToIndex(next.row);
    focusCell(next);
  }

  if (rows.error && isCorrecting) return null;
  if (rows.error)
    return <Notice tone="problem">{describeFields(rows.error, {}, recordFaults) ?? explainAsText(rows.error)}</Notice>;
  if (rows.isFirst) return <Loading />;
  if (rows.count <= 1 && rows.at(0) === undefined)
    return <div className={classes.note}>{Object.keys(view.filter).length > 0 ? records.noneMatch : records.none}</div>;
  return (
    <div
      ref={box}
      className={classes.grid}
      role="grid"
      aria-label={schema.name}
      aria-rowcount={-1}
      aria-colcount={columns.length + 2}
      aria-multiselectable
      tabIndex={-1}
      onKeyDown={onKeyDown}
    >
      <GridHead
        schema={schema}
        columns={columns}
        sort={view.sort}
        template={template}
        checked={headerState(
          selection,
          rows.loaded.map((row) => String(row[schema.key])),
        )}
        onSort={onSort}
        onSelectAll={(isOn) =>
          onSelection(
            isOn ? { kind: 'some', ids: new Set(rows.loaded.map((row) => String(row[schema.key]))) } : NOTHING_SELECTED,
          )
        }
      />
      <div
        className={classes.rows}
        role="presentation"
        style={{ height: virtual.getTotalSize(), minWidth: template.minWidth }}
      >
        {items.map(({ index, start }) => (
          <GridRow
            key={index}
            schema={schema}
            columns={columns}
            row={rows.at(index)}
            index={index}
            style={{ transform: `translateY(${start}px)`, ...template }}
            position={position}
            open={open}
            selection={selection}
            edits={edits}
            onCellFocus={setPosition}
            onOpen={setOpen}
            onToggle={(id) => onSelection(withToggled(selection, id))}
            onLeave={focusCell}
          />
        ))}
      </div>
    </div>
  );
}

/** Returns the column widths. The first column is twice as wide; the list scrolls if there is not enough space. */
function templateOf(columns: number): { readonly gridTemplateColumns: string; readonly minWidth: string } {
  const others = columns > 1 ? ` repeat(${columns - 1}, minmax(9.75rem, 1fr))` : '';
  return {
    gridTemplateColumns: `2.5rem 2.5rem minmax(12rem, 2fr)${others}`,
    minWidth: `${5 + 12 + (columns - 1) * 9.75}rem`,
  };
}

/** Returns a function that focuses a cell as soon as it is rendered. Until then, the grid has the focus and receives the keys. */
function useCellFocus(box: RefObject<HTMLDivElement | null>): (position: CellPosition) => void {
  const pendingFocus = useRef<CellPosition | null>(null);
  const [, setRenderCount] = useState(0);
  useEffect(() => {
    if (pendingFocus.current === null) return;
    const { row, column } = pendingFocus.current;
    const found = box.current?.querySelector<HTMLElement>(`[data-row="${row}"][data-column="${column}"]`);
    if (!found) return;
    pendingFocus.current = null;
    found.focus({ preventScroll: true });
    // The page and the columns may need to scroll, too.
    found.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  });
  return (position) => {
    pendingFocus.current = position;
    box.current?.focus({ preventScroll: true });
    setRenderCount((count) => count + 1);
  };
}
