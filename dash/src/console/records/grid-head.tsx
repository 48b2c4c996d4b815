import type { CSSProperties } from 'react';
import { useTexts } from '../../texts/texts.js';
import { sortedBy } from '../data/list-address.js';
import type { RecordSchema } from '../data/record-schema.js';
import type { HeaderState } from './selection.js';
import classes from './records.module.css';

interface GridHeadProps {
  readonly schema: RecordSchema;
  readonly columns: readonly string[];
  readonly sort: readonly string[];
  readonly template: CSSProperties;
  readonly checked: HeaderState;
  readonly onSort: (sort: readonly string[]) => void;
  readonly onSelectAll: (isOn: boolean) => void;
}

export function GridHead({ schema, columns, sort, template, checked, onSort, onSelectAll }: GridHeadProps) {
  const { records } = useTexts('records');
  return (
    <div role="row" aria-rowindex={1} className={classes.headRow} style={template}>
      <div role="columnheader" className={classes.cell}>
        <input
          type="checkbox"
          aria-label={records.selectAll}
          checked={checked === 'all'}
          aria-checked={checked === 'some' ? 'mixed' : checked === 'all'}
          ref={(input) => {
            if (input !== null) input.indeterminate = checked === 'some';
          }}
          onChange={(event) => onSelectAll(event.currentTarget.checked)}
        />
      </div>
      <div role="columnheader" className={classes.cell} />
      {columns.map((name) => {
        const field = schema.fields.find((item) => item.name === name);
        const isAscending = sort.includes(name);
        const isDescending = sort.includes(`-${name}`);
        return (
          <div
            key={name}
            role="columnheader"
            className={classes.cell}
            aria-sort={isAscending ? 'ascending' : isDescending ? 'descending' : undefined}
          >
            {field?.sortable ? (
              <button
                type="button"
                className={classes.sort}
                title={records.sortBy(field.label)}
                onClick={(event) => onSort(sortedBy(sort, name, event.shiftKey))}
              >
                {field.label} {isAscending ? '↑' : isDescending ? '↓' : ''}
              </button>
            ) : (
              <span className={classes.text}>{field?.label ?? name}</span>
            )}
          </div>
        );
      })}
    </div>
  );
}
