import { Button, TextInput } from '@mantine/core';
import { type FormEvent, useEffect, useState } from 'react';
import { useTexts } from '../../texts/texts.js';
import type { Filter } from '../filter/filter-tree.js';
import { printFilter } from '../filter/print-filter.js';
import { readSearch } from './read-search.js';
import { FilterBuilder } from './filter-builder.js';
import type { RecordSchema } from '../data/record-schema.js';
import classes from './records.module.css';

interface FilterBarProps {
  readonly schema: RecordSchema;
  readonly filter: Filter;
  readonly onFilter: (filter: Filter) => void;
  /** Called with whether the text differs from the filter of the list. */
  readonly onEdit: (isChanged: boolean) => void;
}

/** Search input of a list. Plain words search, expressions filter. The builder edits the same filter. */
export function FilterBar({ schema, filter, onFilter, onEdit }: FilterBarProps) {
  const { records } = useTexts('records');
  const [text, setText] = useState(() => printFilter(filter));
  const [isBuilding, setBuilding] = useState(false);
  const read = readSearch(text, schema);
  const fault = read.ok ? undefined : records.faults[read.fault](read.at + 1);
  const [isFaultShown, setFaultShown] = useState(false);
  const isChanged = text !== printFilter(filter);
  useEffect(() => {
    onEdit(isChanged);
    return () => onEdit(false);
  }, [isChanged, onEdit]);
  function submit(event: FormEvent): void {
    event.preventDefault();
    setFaultShown(!read.ok);
    if (read.ok) onFilter(read.filter);
  }
  return (
    <form className={classes.builder} onSubmit={submit} role="search">
      <div className={classes.filter}>
        <TextInput
          className={classes.filterText}
          size="sm"
          aria-label={records.filterText}
          placeholder={records.filterHint}
          value={text}
          error={isFaultShown && fault}
          spellCheck={false}
          autoComplete="off"
          autoCapitalize="none"
          onChange={({ currentTarget }) => [setFaultShown(false), setText(currentTarget.value)]}
        />
        <Button type="submit" size="sm">
          {records.apply}
        </Button>
        <Button variant="default" size="sm" aria-expanded={isBuilding} onClick={() => setBuilding(!isBuilding)}>
          {records.build}
        </Button>
        {Object.keys(filter).length > 0 && (
          <Button variant="default" size="sm" onClick={() => onFilter({})}>
            {records.clear}
          </Button>
        )}
      </div>
      {isBuilding && read.ok && (
        <div className={classes.card}>
          <FilterBuilder schema={schema} filter={read.filter} onChange={(next) => setText(printFilter(next))} />
        </div>
      )}
    </form>
  );
}
