import { Button, Group, Input, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useId, useState } from 'react';
import { explainInWords } from '../../api/explain.js';
import type { SchemaPlan } from '../../api/openapi.js';
import { useTexts } from '../../texts/texts.js';
import { Notice } from '../../ui/notice.js';
import { Choice } from '../frame/choice.js';
import { ofFolders, SOURCES, type Source } from './brought-in.js';
import { inWords, refusalWording } from './fault-words.js';
import { applySchemas, bringIn, type BroughtIn, isPlanChanged, MODEL, planSchemas } from './model-api.js';
import classes from './model.module.css';
import { PlanView } from './plan-view.js';
import { schemaFaults } from './schema-faults.js';
import { BrokenZip } from './zip-files.js';

/** Imports schemas from files of Lintel or another product. Reports unsupported parts, and shows a plan before anything changes. */
export function BringIn({ onClose }: { onClose: () => void }) {
  const words = useTexts('model');
  const { model } = words;
  const [title, input, zip] = [useId(), useId(), useId()];
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [source, setSource] = useState<Source>('lintel');
  const plan = useMutation({ mutationFn: ({ schemas }: BroughtIn) => planSchemas(schemas) });
  const read = useMutation({
    mutationFn: (files: readonly File[]) => bringIn(source, files),
    onSuccess: (found) => (found.faults.length === 0 ? plan.mutate(found) : undefined),
  });
  const apply = useMutation({
    mutationFn: (seen: SchemaPlan) => applySchemas(read.data?.schemas ?? [], seen),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: MODEL });
      await queries.invalidateQueries({ queryKey: ['records'] });
      onClose();
      await navigate({ to: '/dash/model', search: { applied: model.bring.applied(read.data?.schemas.length ?? 0) } });
    },
    onError: (error) => (isPlanChanged(error) && read.data ? plan.mutate(read.data) : undefined),
  });
  const forget = (): void => [read, plan, apply].forEach(({ reset }) => reset());
  const isOvertaken = isPlanChanged(apply.error);
  const error = read.error ?? (isOvertaken ? null : apply.error) ?? plan.error;
  const told = read.data?.faults.length ? read.data.faults : (schemaFaults(error) ?? []);
  const faults = told.map((fault) => inWords(fault, words));
  return (
    <section className={classes.editor} aria-labelledby={title}>
      <Title order={2} id={title}>
        {model.bring.title}
      </Title>
      <div>{model.bring.lead}</div>
      <div className={classes.line}>
        <Choice
          label={model.bring.source}
          options={SOURCES.map((name) => [name, model.bring.sources[name]] as const)}
          value={source}
          onChange={(next) => [forget(), setSource(next)]}
        />
        <Input.Wrapper label={ofFolders(source) ? model.bring.folder : model.bring.files} id={input}>
          <input
            key={source}
            id={input}
            type="file"
            className={classes.file}
            multiple
            {...(ofFolders(source) && { webkitdirectory: '' })}
            onChange={({ currentTarget }) => [forget(), read.mutate([...(currentTarget.files ?? [])])]}
          />
        </Input.Wrapper>
        {ofFolders(source) && (
          <Input.Wrapper label={model.bring.zip} id={zip}>
            <input
              key={source}
              id={zip}
              type="file"
              className={classes.file}
              accept=".zip"
              onChange={({ currentTarget }) => [forget(), read.mutate([...(currentTarget.files ?? [])])]}
            />
          </Input.Wrapper>
        )}
      </div>
      {error && faults.length === 0 && (
        <Notice tone="problem">
          <Unread error={error} />
        </Notice>
      )}
      {isOvertaken && <Notice tone="problem">{model.plan.overtaken}</Notice>}
      {read.data && <div role="status">{model.bring.found(read.data.schemas.length, read.data.notes.length)}</div>}
      {faults.length > 0 && (
        <ul className={classes.faults} aria-label={model.faults.count(faults.length)}>
          {faults.map((fault) => (
            <li key={`${fault.code} ${fault.schema} ${fault.path} ${fault.message}`}>
              {fault.schema}: {fault.message}
            </li>
          ))}
        </ul>
      )}
      {plan.data && (
        <PlanView plan={plan.data} busy={apply.isPending} onApply={() => apply.mutate(plan.data)} onCancel={onClose} />
      )}
      {read.data && read.data.notes.length > 0 && (
        <details>
          <summary>{model.bring.notes(read.data.notes.length)}</summary>
          <ul className={classes.notes}>
            {read.data.notes.map(({ file, pointer, message }) => (
              <li key={`${file} ${pointer} ${message}`}>
                <code>
                  {file}
                  {pointer}
                </code>{' '}
                {message}
              </li>
            ))}
          </ul>
        </details>
      )}
      {!plan.data && (
        <Group>
          <Button variant="default" onClick={onClose}>
            {model.plan.cancel}
          </Button>
        </Group>
      )}
    </section>
  );
}

/** Explains why the import failed. Names the archive that cannot be read. */
function Unread({ error }: { error: Error }) {
  const { model } = useTexts('model');
  if (error instanceof BrokenZip) return `${error.file}: ${model.bring[error.why]}`;
  return error instanceof SyntaxError ? model.noJson : explainInWords(error, refusalWording(model));
}
