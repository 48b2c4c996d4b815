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
  /** @param taken fields whose stored values replace the local changes. */
  readonly onResolve: (taken: ReadonlySet<string>) => void;
}

/** Compares conflicting changes field by field: the original value, the local one and the stored one. */
export function Conflicts({ schema, title, conflicts, onResolve }: ConflictsProps) {
  const { records } = useTexts('records');
  const [taken, setTaken] = useState<ReadonlySet<string>>(new Set());
  const take = (field: string, isTheirs: boolean): void => {
    const next = new Set(taken);
    if (isTheirs) next.add(field);
    else next.delete(field);
    setTaken(next);
  };
  return (
    <div className={classes.builder}>
      <Notice tone="problem">{title}</Notice>
      {conflicts.length > 0 && (
        <table className={classes.conflicts}>
          <thead>
            <tr>
              {[records.field, records.before, records.mine, records.theirs].map((head) => (
                <th key={head} scope="col">
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {conflicts.map(({ field: name, base, mine, theirs }) => {
              const field = schema.fields.find((one) => one.name === name);
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
                          aria-label={`${field.label}: ${isTheirs ? records.takeTheirs : records.keepMine}`}
                          checked={taken.has(name) === isTheirs}
                          onChange={() => take(name, isTheirs)}
                        />{' '}
                        <Cell field={field} value={isTheirs ? theirs : mine} />
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
        <Button size="xs" onClick={() => onResolve(taken)}>
          {records.merge}
        </Button>
      </div>
    </div>
  );
}
