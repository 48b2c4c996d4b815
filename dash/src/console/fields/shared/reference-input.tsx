import { useState } from 'react';
import { useTexts } from '../../../texts/texts.js';
import { Reference } from '../../data/record-changes.js';
import type { InputProps } from './field-kind.types.js';
import classes from './fields.module.css';
import { Labelled } from './inputs.js';
import { ReferencePicker } from './reference-picker.js';

/** What a relation leads to: the chosen, and a search for others. */
export function ReferenceInput(props: InputProps) {
  const { field, value, onChange, label, disabled, inCell, autoFocus } = props;
  const { records } = useTexts('records');
  const [isOpen, setOpen] = useState(false);
  const chosen = (Array.isArray(value) ? value : [value]).filter((one) => one instanceof Reference);
  function drop(reference: Reference): void {
    onChange(field.many ? chosen.filter((one) => one !== reference) : null);
  }
  function choose(reference: Reference): void {
    if (!field.many) onChange(reference);
    else if (chosen.every(({ id }) => id !== reference.id)) onChange([...chosen, reference]);
    setOpen(field.many);
  }
  const mayPick = disabled !== true && field.target !== undefined && (field.many || chosen.length === 0 || isOpen);
  return (
    <Labelled {...props}>
      {(id, fault) => (
        <>
          {chosen.length > 0 && (
            <ul className={classes.chosen} aria-label={label}>
              {chosen.map((one) => (
                <li key={one.id}>
                  <span>{one.label}</span>
                  {disabled !== true && (field.many || field.optional) && (
                    <button
                      type="button"
                      className={classes.drop}
                      aria-label={records.drop(one.label)}
                      onClick={() => drop(one)}
                    >
                      ×
                    </button>
                  )}
                  {disabled !== true && !field.many && !isOpen && (
                    <button
                      type="button"
                      className={classes.drop}
                      aria-label={records.replace(one.label)}
                      onClick={() => setOpen(true)}
                    >
                      ⌕
                    </button>
                  )}
                </li>
              ))}
            </ul>
          )}
          {mayPick && (
            <ReferencePicker
              id={id}
              label={label}
              target={field.target ?? ''}
              isInvalid={fault !== undefined}
              inCell={inCell === true}
              autoFocus={autoFocus === true || isOpen}
              onChoose={choose}
            />
          )}
        </>
      )}
    </Labelled>
  );
}
