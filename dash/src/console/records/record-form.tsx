import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { explainAsText } from '../../api/explain.js';
import { Question } from '../../pages/account/question.js';
import { useTexts } from '../../texts/texts.js';
import { Notice } from '../../ui/notice.js';
import { useSaveKey } from '../frame/use-save-key.js';
import { FIELD_KINDS } from '../fields/field-kinds.js';
import { NestedKinds } from '../fields/nested-kinds.js';
import { Conflicts } from './conflicts.js';
import type { RecordSchema } from '../data/record-schema.js';
import classes from './records.module.css';
import { deleteRecord, type ReadRecord, type RecordContext, restoreRecord } from '../data/records-api.js';
import { type RecordFormState, useRecordForm } from './use-record-form.js';

declare module '@tanstack/react-router' {
  interface HistoryState {
    isCreated?: boolean;
  }
}

interface RecordFormProps {
  readonly context: RecordContext;
  readonly schema: RecordSchema;
  readonly id: string | null;
  readonly newest: ReadRecord;
  readonly onRead: () => void;
}

export function RecordForm(props: RecordFormProps) {
  const { context, schema, id, newest, onRead } = props;
  const { records, forms } = useTexts('records');
  const navigate = useNavigate();
  const queries = useQueryClient();
  const form = useRecordForm(context, schema, id, newest);
  const [isSaved, setSaved] = useCreated(schema.name, id);
  const [refusals, setRefusals] = useState(0);
  const [isConfirming, setConfirming] = useState(false);
  const self = useRef<HTMLFormElement>(null);
  const isDeleted = typeof newest.values['deleted_at'] === 'string';
  const canSave = form.isDirty && !isDeleted && form.conflict === null;
  useSaveKey(() => (canSave && !form.isBusy ? self.current?.requestSubmit() : undefined));
  // An effect, because it must run after the errors are rendered; an animation frame can come earlier.
  useEffect(() => self.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus(), [refusals]);
  const isConfirmed = schema.fields.some(
    ({ name, confirmed }) => confirmed && form.values[name] === true && newest.values[name] !== true,
  );
  function submit(event: FormEvent): void {
    event.preventDefault();
    if (isConfirmed) setConfirming(true);
    else void save();
  }
  async function save(): Promise<void> {
    setConfirming(false);
    const key = await form.save();
    setSaved(key !== null);
    if (key === null) return setRefusals((count) => count + 1);
    void queries.invalidateQueries({ queryKey: ['records', 'pages', schema.name] });
    if (id !== null) onRead();
    else void navigate({ ...recordPage(schema.name, key), state: { isCreated: true } });
  }
  return (
    <form ref={self} className={classes.form} noValidate onSubmit={submit} aria-label={schema.name}>
      <div role="status">{isSaved && !form.isDirty && <Notice tone="success">{records.saved}</Notice>}</div>
      {isDeleted && <Notice tone="plain">{records.isDeleted}</Notice>}
      {form.isDraft && <Notice tone="plain">{records.draft}</Notice>}
      {form.isStale && (
        <Notice tone="plain">
          {records.stale}{' '}
          <Button size="xs" variant="default" onClick={form.merge}>
            {records.merge}
          </Button>
        </Notice>
      )}
      {form.conflict && (
        <Conflicts
          schema={schema}
          title={records.conflict}
          conflicts={form.conflict.conflicts}
          onResolve={form.resolve}
        />
      )}
      {form.problem && <Notice tone="problem">{form.problem}</Notice>}
      <Fields context={context} schema={schema} isNew={id === null} isLocked={isDeleted} form={form} />
      {isConfirming && (
        <Question
          label={records.root.title}
          text={records.root.sure}
          confirmLabel={records.root.yes}
          onConfirm={() => void save()}
          onCancel={() => setConfirming(false)}
        />
      )}
      <div className={classes.foot}>
        <Button type="submit" size="sm" loading={form.isBusy} disabled={!canSave}>
          {records.save}
        </Button>
        {form.isDirty && (
          <Button variant="default" size="sm" onClick={form.discard}>
            {id === null ? forms.cancel : records.discard}
          </Button>
        )}
        <span className={classes.spring} />
        {id !== null && <Removal {...props} id={id} isDeleted={isDeleted} />}
      </div>
    </form>
  );
}

const recordPage = (schema: string, id: string) =>
  ({ to: '/dash/records/$schema/$id', params: { schema, id } }) as const;

/** Returns whether to show that the record was saved: also after the redirect from the page of a new record, but not after a reload. */
function useCreated(schema: string, id: string | null): readonly [boolean, (isSaved: boolean) => void] {
  const navigate = useNavigate();
  const isCreated = useLocation({ select: ({ state }) => state.isCreated === true });
  const [isSaved, setSaved] = useState(false);
  useEffect(() => {
    if (!isCreated || id === null) return;
    setSaved(true);
    void navigate({ ...recordPage(schema, id), replace: true, resetScroll: false });
  }, [isCreated, navigate, schema, id]);
  return [isSaved, setSaved];
}

interface FieldsProps {
  readonly context: RecordContext;
  readonly schema: RecordSchema;
  readonly isNew: boolean;
  readonly isLocked: boolean;
  readonly form: RecordFormState;
}

/** Inputs for the writable fields, followed by the read-only values. */
function Fields({ context, schema, isNew, isLocked, form }: FieldsProps) {
  const { records } = useTexts('records');
  const actions = context.permissions.content[schema.name] ?? {};
  const writable = new Set(actions[isNew ? 'create' : 'update']?.fields ?? []);
  const inputs = schema.fields.filter(({ name, generated }) => writable.has(name) && !generated);
  const facts = isNew ? [] : schema.fields.filter((field) => !inputs.includes(field));
  return (
    <>
      <NestedKinds value={FIELD_KINDS}>
        <div className={classes.fields}>
          {inputs.map((field) => {
            const { Input } = FIELD_KINDS[field.type];
            return (
              <Input
                key={field.name}
                field={field}
                label={field.label}
                value={form.values[field.name]}
                error={form.faults[field.name]}
                disabled={isLocked}
                onChange={(value) => form.change(field.name, value)}
                {...(form.truncated.has(field.name) && { onMore: () => form.readMore(field.name) })}
              />
            );
          })}
          {isNew && writable.has('invite') && (
            <label className={classes.bar}>
              <input
                type="checkbox"
                checked={form.values['invite'] === true}
                onChange={(event) => form.change('invite', event.currentTarget.checked || null)}
              />
              {records.invite}
            </label>
          )}
        </div>
      </NestedKinds>
      {facts.length > 0 && (
        <dl className={classes.facts}>
          {facts.map((field) => {
            const { Cell } = FIELD_KINDS[field.type];
            return (
              <div key={field.name} style={{ display: 'contents' }}>
                <dt>{field.label}</dt>
                <dd>
                  <Cell field={field} value={form.values[field.name]} />
                </dd>
              </div>
            );
          })}
        </dl>
      )}
    </>
  );
}

/** Deletes the record after a confirmation, or restores it. */
function Removal({ context, schema, id, isDeleted, onRead }: RecordFormProps & { id: string; isDeleted: boolean }) {
  const { records } = useTexts('records');
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [isConfirming, setConfirming] = useState(false);
  const actions = context.permissions.content[schema.name] ?? {};
  const change = useMutation({
    mutationFn: () => (isDeleted ? restoreRecord(schema, id) : deleteRecord(schema, id)),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ['records', 'pages', schema.name] });
      setConfirming(false);
      if (isDeleted || schema.softDelete) onRead();
      else void navigate({ to: '/dash/records/$schema', params: { schema: schema.name } });
    },
  });
  if (actions[isDeleted ? 'restore' : 'delete'] === undefined) return null;
  const label = isDeleted ? records.restore : isConfirming ? records.sure.delete(1) : records.remove;
  return (
    <>
      {change.error && <Notice tone="problem">{explainAsText(change.error)}</Notice>}
      <Button
        size="sm"
        variant={isConfirming ? 'filled' : 'default'}
        data-danger={isConfirming || undefined}
        loading={change.isPending}
        onBlur={() => setConfirming(false)}
        onClick={() => (isDeleted || isConfirming ? change.mutate() : setConfirming(true))}
      >
        {label}
      </Button>
    </>
  );
}
