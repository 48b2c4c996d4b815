import { Button } from '@mantine/core';
import { type ReactNode, useContext, useState } from 'react';
import { useTexts } from '../../texts/texts.js';
import { NewRecord, Reference } from '../data/record-changes.js';
import { wordsOf } from '../data/record-schema.js';
import { useSchemas } from '../data/use-schemas.js';
import type { InputProps } from './field-kind.types.js';
import classes from './fields.module.css';
import { Labelled } from './inputs.js';
import { NestedKinds } from './nested-kinds.js';
import { NewRecordForm } from './new-record-form.js';
import { ReferencePicker } from './reference-picker.js';
import { useChosenOrder } from './use-chosen-order.js';

interface ReferenceInputProps extends InputProps {
  readonly shown?: (reference: Reference) => ReactNode;
  /** Another way to add records, such as an upload. */
  readonly more?: ReactNode;
}

type Chosen = Reference | NewRecord;

export function ReferenceInput({ shown, more, ...props }: ReferenceInputProps) {
  const { field, value, onChange, label, disabled, inCell, autoFocus, onMore } = props;
  const { records } = useTexts('records');
  const { data: world } = useSchemas();
  const [isOpen, setOpen] = useState(false);
  /** Index of the new record that is being edited. An index after the last one adds a record. */
  const [written, setWritten] = useState<number | null>(null);
  const chosen = (Array.isArray(value) ? value : [value]).filter(isChosen);
  const target = world?.schemas.get(field.target ?? '');
  const put = (next: readonly Chosen[]): void => onChange(field.many ? next : (next.at(-1) ?? null));
  function choose(reference: Reference): void {
    if (!field.many) onChange(reference);
    else if (chosen.every((one) => !(one instanceof Reference) || one.id !== reference.id)) put([...chosen, reference]);
    setOpen(field.many);
  }
  const isLocked = disabled === true;
  const order = useChosenOrder(field, chosen, onMore === undefined ? put : null);
  const mayPick = !isLocked && field.target !== undefined && (field.many || chosen.length === 0 || isOpen);
  const mayMake =
    useContext(NestedKinds) !== null &&
    mayPick &&
    inCell !== true &&
    field.type === 'relation' &&
    world?.permissions.content[field.target ?? '']?.['create'] !== undefined;
  return (
    <Labelled {...props}>
      {(id, fault) => (
        <>
          {chosen.length > 0 && (
            <ul className={classes.chosen} aria-label={label}>
              {chosen.map((one, at) => (
                <li key={one instanceof Reference ? one.id : `new ${at}`} {...(isLocked ? {} : order.itemProps(at))}>
                  {one instanceof Reference && shown?.(one)}
                  <span>{one.label}</span>
                  {!isLocked && order.signs(at).map((sign) => <Sign key={sign.sign} {...sign} />)}
                  {!isLocked && one instanceof NewRecord && (
                    <Sign sign="✎" name={records.nested.change(one.label)} onPress={() => setWritten(at)} />
                  )}
                  {!isLocked && (field.many || field.optional || one instanceof NewRecord) && (
                    <Sign
                      sign="×"
                      name={records.drop(one.label)}
                      onPress={() => put(chosen.filter((other) => other !== one))}
                    />
                  )}
                  {!isLocked && !field.many && !isOpen && one instanceof Reference && (
                    <Sign sign="⌕" name={records.replace(one.label)} onPress={() => setOpen(true)} />
                  )}
                </li>
              ))}
            </ul>
          )}
          {onMore && <MoreLinks shown={chosen.length} onMore={onMore} />}
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
          {more}
          {mayMake && written === null && target !== undefined && (
            <Button
              className={classes.make}
              variant="subtle"
              size="compact-xs"
              onClick={() => setWritten(chosen.length)}
            >
              {records.newOf(wordsOf(target.name))}
            </Button>
          )}
          {written !== null && world !== undefined && target !== undefined && (
            <NewRecordForm
              world={world}
              schema={target}
              begun={chosen[written] instanceof NewRecord ? chosen[written] : null}
              onDone={(made) => {
                put(field.many ? [...chosen.slice(0, written), made, ...chosen.slice(written + 1)] : [made]);
                setWritten(null);
                setOpen(false);
              }}
              onCancel={() => setWritten(null)}
            />
          )}
        </>
      )}
    </Labelled>
  );
}

function MoreLinks({ shown, onMore }: { readonly shown: number; readonly onMore: () => Promise<void> }) {
  const { records } = useTexts('records');
  const [isReading, setReading] = useState(false);
  return (
    <span className={classes.empty}>
      <span role="status">{records.links.shown(shown)}</span>{' '}
      <Button
        variant="default"
        size="compact-xs"
        loading={isReading}
        onClick={() => {
          setReading(true);
          void onMore().finally(() => setReading(false));
        }}
      >
        {records.links.more}
      </Button>
    </span>
  );
}

interface SignProps {
  readonly sign: string;
  readonly name: string;
  /** Disabled, but keeps the focus. */
  readonly isOff?: boolean;
  readonly onPress: (pressed: HTMLElement) => void;
}

function Sign({ sign, name, isOff = false, onPress }: SignProps) {
  return (
    <button
      type="button"
      className={classes.drop}
      aria-label={name}
      title={name}
      aria-disabled={isOff || undefined}
      onClick={({ currentTarget }) => (isOff ? undefined : onPress(currentTarget))}
    >
      {sign}
    </button>
  );
}

function isChosen(value: unknown): value is Chosen {
  return value instanceof Reference || value instanceof NewRecord;
}
