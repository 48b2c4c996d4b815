import { Input } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useEffect, useId, useState } from 'react';
import { explainAsText } from '../../api/explain.js';
import { useTexts } from '../../texts/texts.js';
import type { Reference } from '../data/record-changes.js';
import { searchReferences } from '../data/records-api.js';
import { useSchemas } from '../data/use-schemas.js';
import classes from './fields.module.css';

const WAIT_MS = 200;

interface ReferencePickerProps {
  readonly id: string;
  readonly label: string;
  readonly target: string;
  readonly isInvalid: boolean;
  readonly inCell: boolean;
  readonly autoFocus: boolean;
  readonly onChoose: (reference: Reference) => void;
}

export function ReferencePicker({ id, label, target, isInvalid, inCell, autoFocus, onChoose }: ReferencePickerProps) {
  const { records } = useTexts('records');
  const list = useId();
  const [text, setText] = useState('');
  const [isOpen, setOpen] = useState(false);
  const [at, setAt] = useState(0);
  const [query] = useDebouncedValue(text, WAIT_MS);
  const { data: context } = useSchemas();
  const schema = context?.schemas.get(target);
  const { data, error, isFetching } = useQuery({
    queryKey: ['records', 'references', target, query],
    queryFn: () => (schema === undefined ? [] : searchReferences(schema, query)),
    enabled: isOpen && schema !== undefined,
    staleTime: 10_000,
  });
  const found = query === text ? (data ?? []) : [];
  const isWaiting = isFetching || query !== text;
  useEffect(() => {
    document.getElementById(`${list}-${at}`)?.scrollIntoView({ block: 'nearest' });
  }, [list, at]);
  function choose(reference: Reference | undefined): void {
    if (reference === undefined) return;
    setText('');
    setOpen(false);
    onChoose(reference);
  }
  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      setOpen(true);
      setAt((now) => Math.min(found.length - 1, Math.max(0, now + (event.key === 'ArrowDown' ? 1 : -1))));
    } else if (event.key === 'Enter' && isOpen) {
      event.preventDefault();
      event.stopPropagation();
      choose(found[at]);
    } else if (event.key === 'Escape' && isOpen) {
      event.stopPropagation();
      setOpen(false);
    }
  }
  return (
    <div className={classes.picker}>
      <Input
        id={id}
        role="combobox"
        size={inCell ? 'xs' : 'sm'}
        aria-label={inCell ? label : undefined}
        aria-expanded={isOpen}
        aria-controls={list}
        aria-autocomplete="list"
        aria-activedescendant={isOpen && found[at] ? `${list}-${at}` : undefined}
        aria-invalid={isInvalid}
        placeholder={records.search}
        autoComplete="off"
        autoFocus={autoFocus}
        value={text}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onKeyDown={onKeyDown}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setAt(0);
          setOpen(true);
        }}
      />
      {isOpen && (
        <ul id={list} role="listbox" aria-label={label} className={classes.options}>
          {found.map((item, index) => (
            <li
              key={item.id}
              id={`${list}-${index}`}
              role="option"
              aria-selected={index === at}
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => choose(item)}
              onMouseEnter={() => setAt(index)}
            >
              {item.label}
            </li>
          ))}
          {found.length === 0 && (
            <li data-note>{error ? explainAsText(error) : isWaiting ? records.searching : records.nothingFound}</li>
          )}
        </ul>
      )}
    </div>
  );
}
