import { useTexts } from '../../texts/texts.js';
import { RouteLink } from '../../ui/route-link.js';
import { GridCell } from './grid-cell.js';
import type { GridRowProps } from './grid-row.types.js';
import { nameOf } from './record-name.js';
import classes from './records.module.css';
import { isSelected } from './selection.js';

export function GridRow(props: GridRowProps) {
  const { schema, columns, row, index, style, position, selection, onCellFocus, onToggle } = props;
  const { records } = useTexts('records');
  if (row === undefined)
    return (
      <div role="row" aria-rowindex={index + 2} aria-busy className={classes.row} style={style}>
        <div role="gridcell" className={classes.cell}>
          …
        </div>
      </div>
    );
  const id = String(row[schema.key]);
  const name = nameOf(schema, row);
  const tab = (column: number): number => (position.row === index && position.column === column ? 0 : -1);
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isSelected(selection, id)}
      className={classes.row}
      style={style}
    >
      <div role="gridcell" className={classes.cell}>
        <input
          type="checkbox"
          data-row={index}
          data-column={0}
          tabIndex={tab(0)}
          aria-label={records.select(name)}
          checked={isSelected(selection, id)}
          onFocus={() => onCellFocus({ row: index, column: 0 })}
          onChange={() => onToggle(id)}
        />
      </div>
      <div role="gridcell" className={classes.cell}>
        <RouteLink
          to="/dash/records/$schema/$id"
          params={{ schema: schema.name, id }}
          data-row={index}
          data-column={1}
          tabIndex={tab(1)}
          aria-label={records.open(name)}
          onFocus={() => onCellFocus({ row: index, column: 1 })}
        >
          ↗
        </RouteLink>
      </div>
      {columns.map((column, at) => (
        <GridCell key={column} {...props} id={id} row={row} name={column} column={at + 2} tabIndex={tab(at + 2)} />
      ))}
    </div>
  );
}
