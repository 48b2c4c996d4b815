import { Button, TextInput } from '@mantine/core';
import type { FormEvent } from 'react';
import { useTexts } from '../../texts/texts.js';
import { AUDIT_FILTERS, type AuditFilter, readFilter } from './audit-query.js';
import classes from './service.module.css';

interface AuditFilterFormProps {
  filter: AuditFilter;
  onFilter: (filter: AuditFilter) => void;
}

export function AuditFilterForm({ filter, onFilter }: AuditFilterFormProps) {
  const { audit: auditTexts } = useTexts('service').service;
  function submit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    onFilter(readFilter(Object.fromEntries(new FormData(event.currentTarget))));
  }
  return (
    <form className={classes.filters} aria-label={auditTexts.filter} onSubmit={submit}>
      {AUDIT_FILTERS.map((name) => (
        <TextInput
          key={name}
          name={name}
          type={name === 'since' || name === 'until' ? 'date' : 'text'}
          label={auditTexts.filters[name]}
          defaultValue={filter[name] ?? ''}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={300}
        />
      ))}
      <div className={classes.filterButtons}>
        <Button type="submit" size="sm">
          {auditTexts.filter}
        </Button>
        {Object.keys(filter).length > 0 && (
          <Button variant="default" size="sm" onClick={() => onFilter({})}>
            {auditTexts.clear}
          </Button>
        )}
      </div>
    </form>
  );
}
