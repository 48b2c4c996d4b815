import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTexts } from '../../texts/texts.js';
import { Notice } from '../../ui/notice.js';
import { FIELD_KINDS } from '../fields/field-kinds.js';
import type { Conflict } from '../data/record-changes.js';
import type { RecordSchema } from '../data/record-schema.js';
import classes from './records.module.css';

interface ConflictsProps {
  readonly schema: RecordSchema;
  readonly title: string;
  readonly conflicts: readonly Conflict[];
  /** @param accepted fields whose stored values replace the local changes. */
  readonly onResolve: (accepted: ReadonlySet<string>) => void;
}

/** Compares conflicting changes field by field: the original value, the local one and the stored one. */
export function Conflicts({ schema, title, conflicts, onResolve }: ConflictsProps) {
  const { records } = useTexts('records');
  const [accepted, setAccepted] = useState<ReadonlySet<string>>(new Set());
  const accept = (field: string, isTheirs: boolean): void => {
    const next = new Set(accepted);
    if (isTheirs) next.add(field);
    else next.delete(field);
    setAccepted(next);
  };
  return (
    <div className={classes.builder}>
      <Notice tone="problem">{title}</Notice>
      {conflicts.length > 0 && (
        <table className={classes.conflicts}>
          <thead>
            <tr>
              {[records.field, records.before, records.ours, records.theirs].map((head) => (
                <th key={head} scope="col">
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {conflicts.map(({ field: name, base, ours, theirs }) => {
              const field = schema.fields.find((item) => item.name === name);
              if (field === undefined) return null;
              const { Cell } = FIELD_KINDS[field.type];
              return (
                <tr key={name}>
                  <th scope="row">{field.label}</th>
                  <td>
                    <Cell field={field} value={base} />
                  </td>
                  {[false, true].map((isTheirs) => (
                    <td key={String(isTheirs)}>
                      <label>
                        <input
                          type="radio"
                          name={`conflict-${name}`}
                          aria-label={`${field.label}: ${isTheirs ? records.takeTheirs : records.keepOurs}`}
                          checked={accepted.has(name) === isTheirs}
                          onChange={() => accept(name, isTheirs)}
                        />{' '}
                        <Cell field={field} value={isTheirs ? theirs : ours} />
                      </label>
                    </td>
                  ))}
                </tr>
              );
            })}
          </tbody>
        </table>
      )}
      <div>
        <Button size="xs" onClick={() => onResolve(accepted)}>
          {records.merge}
        </Button>
      </div>
    </div>
  );
}
