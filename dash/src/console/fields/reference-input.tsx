import { Button } from '@mantine/core';
import { type ReactNode, useContext, useState } from 'react';
import { useTexts } from '../../texts/texts.js';
import { NewRecord, Reference } from '../data/record-changes.js';
import { labelFromName } from '../data/record-schema.js';
import { useSchemas } from '../data/use-schemas.js';
import type { InputProps } from './field-kind.types.js';
import classes from './fields.module.css';
import { Labelled } from './inputs.js';
import { NestedKinds } from './nested-kinds.js';
import { NewRecordForm } from './new-record-form.js';
import { ReferencePicker } from './reference-picker.js';
import { useChosenOrder } from './use-chosen-order.js';

interface ReferenceInputProps extends InputProps {
  readonly renderReference?: (reference: Reference) => ReactNode;
  /** Another way to add records, such as an upload. */
  readonly more?: ReactNode;
}

type Chosen = Reference | NewRecord;

export function ReferenceInput({ renderReference, more, ...props }: ReferenceInputProps) {
  const { field, value, onChange, label, disabled, inCell, autoFocus, onMore } = props;
  const { records } = useTexts('records');
  const { data: context } = useSchemas();
  const [isOpen, setOpen] = useState(false);
  /** Index of the new record that is being edited. An index after the last one adds a record. */
  const [written, setWritten] = useState<number | null>(null);
  const chosen = (Array.isArray(value) ? value : [value]).filter(isChosen);
  const target = context?.schemas.get(field.target ?? '');
  const put = (next: readonly Chosen[]): void => onChange(field.many ? next : (next.at(-1) ?? null));
  function choose(reference: Reference): void {
    if (!field.many) onChange(reference);
    else if (chosen.every((item) => !(item instanceof Reference) || item.id !== reference.id))
      put([...chosen, reference]);
    setOpen(field.many);
  }
  const isLocked = disabled === true;
  const order = useChosenOrder(field, chosen, onMore === undefined ? put : null);
  const canPick = !isLocked && field.target !== undefined && (field.many || chosen.length === 0 || isOpen);
  const canCreate =
    useContext(NestedKinds) !== null &&
    canPick &&
    inCell !== true &&
    field.type === 'relation' &&
    context?.permissions.content[field.target ?? '']?.['create'] !== undefined;
  return (
    <Labelled {...props}>
      {(id, fault) => (
        <>
          {chosen.length > 0 && (
            <ul className={classes.chosen} aria-label={label}>
              {chosen.map((item, index) => (
                <li
                  key={item instanceof Reference ? item.id : `new ${index}`}
                  {...(isLocked ? {} : order.itemProps(index))}
                >
                  {item instanceof Reference && renderReference?.(item)}
                  <span>{item.label}</span>
                  {!isLocked && order.signs(index).map((sign) => <Sign key={sign.sign} {...sign} />)}
                  {!isLocked && item instanceof NewRecord && (
                    <Sign sign="✎" name={records.nested.change(item.label)} onPress={() => setWritten(index)} />
                  )}
                  {!isLocked && (field.many || field.optional || item instanceof NewRecord) && (
                    <Sign
                      sign="×"
                      name={records.drop(item.label)}
                      onPress={() => put(chosen.filter((other) => other !== item))}
                    />
                  )}
                  {!isLocked && !field.many && !isOpen && item instanceof Reference && (
                    <Sign sign="⌕" name={records.replace(item.label)} onPress={() => setOpen(true)} />
                  )}
                </li>
              ))}
            </ul>
          )}
          {onMore && <MoreLinks shown={chosen.length} onMore={onMore} />}
          {canPick && (
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
          {canCreate && written === null && target !== undefined && (
            <Button
              className={classes.make}
              variant="subtle"
              size="compact-xs"
              onClick={() => setWritten(chosen.length)}
            >
              {records.newOf(labelFromName(target.name))}
            </Button>
          )}
          {written !== null && context !== undefined && target !== undefined && (
            <NewRecordForm
              context={context}
              schema={target}
              initial={chosen[written] instanceof NewRecord ? chosen[written] : null}
              onDone={(record) => {
                put(field.many ? [...chosen.slice(0, written), record, ...chosen.slice(written + 1)] : [record]);
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
  readonly isDisabled?: boolean;
  readonly onPress: (pressed: HTMLElement) => void;
}

function Sign({ sign, name, isDisabled = false, onPress }: SignProps) {
  return (
    <button
      type="button"
      className={classes.drop}
      aria-label={name}
      title={name}
      aria-disabled={isDisabled || undefined}
      onClick={({ currentTarget }) => (isDisabled ? undefined : onPress(currentTarget))}
    >
      {sign}
    </button>
  );
}

function isChosen(value: unknown): value is Chosen {
  return value instanceof Reference || value instanceof NewRecord;
}
