import { Button, Group, Input, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useId, useState } from 'react';
import { explainAsText } from '../../api/explain.js';
import type { SchemaPlan } from '../../api/openapi.js';
import { useTexts } from '../../texts/texts.js';
import { Notice } from '../../ui/notice.js';
import { Choice } from '../frame/choice.js';
import { isFolderSource, SOURCES, type Source } from './import-files.js';
import { translateSchemaFault, refusalMessages } from './translate-schema-fault.js';
import { applySchemas, importSchemas, type ImportedSchemas, isPlanChanged, MODEL, planSchemas } from './model-api.js';
import classes from './model.module.css';
import { PlanView } from './plan-view.js';
import { schemaFaults } from './schema-faults.js';
import { BrokenZip } from './zip-files.js';

/** Imports schemas from files of Lintel or another product. Reports unsupported parts, and shows a plan before anything changes. */
export function ImportSchemas({ onClose }: { onClose: () => void }) {
  const texts = useTexts('model');
  const { model } = texts;
  const [title, input, zip] = [useId(), useId(), useId()];
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [source, setSource] = useState<Source>('lintel');
  const plan = useMutation({ mutationFn: ({ schemas }: ImportedSchemas) => planSchemas(schemas) });
  const read = useMutation({
    mutationFn: (files: readonly File[]) => importSchemas(source, files),
    onSuccess: (imported) => (imported.faults.length === 0 ? plan.mutate(imported) : undefined),
  });
  const apply = useMutation({
    mutationFn: (seen: SchemaPlan) => applySchemas(read.data?.schemas ?? [], seen),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: MODEL });
      await queries.invalidateQueries({ queryKey: ['records'] });
      onClose();
      await navigate({
        to: '/dash/model',
        search: { applied: model.importing.applied(read.data?.schemas.length ?? 0) },
      });
    },
    onError: (error) => (isPlanChanged(error) && read.data ? plan.mutate(read.data) : undefined),
  });
  const resetAll = (): void => [read, plan, apply].forEach(({ reset }) => reset());
  const isOutdated = isPlanChanged(apply.error);
  const error = read.error ?? (isOutdated ? null : apply.error) ?? plan.error;
  const shownFaults = read.data?.faults.length ? read.data.faults : (schemaFaults(error) ?? []);
  const faults = shownFaults.map((fault) => translateSchemaFault(fault, texts));
  return (
    <section className={classes.editor} aria-labelledby={title}>
      <Title order={2} id={title}>
        {model.importing.title}
      </Title>
      <div>{model.importing.lead}</div>
      <div className={classes.line}>
        <Choice
          label={model.importing.source}
          options={SOURCES.map((name) => [name, model.importing.sources[name]] as const)}
          value={source}
          onChange={(next) => [resetAll(), setSource(next)]}
        />
        <Input.Wrapper label={isFolderSource(source) ? model.importing.folder : model.importing.files} id={input}>
          <input
            key={source}
            id={input}
            type="file"
            className={classes.file}
            multiple
            {...(isFolderSource(source) && { webkitdirectory: '' })}
            onChange={({ currentTarget }) => [resetAll(), read.mutate([...(currentTarget.files ?? [])])]}
          />
        </Input.Wrapper>
        {isFolderSource(source) && (
          <Input.Wrapper label={model.importing.zip} id={zip}>
            <input
              key={source}
              id={zip}
              type="file"
              className={classes.file}
              accept=".zip"
              onChange={({ currentTarget }) => [resetAll(), read.mutate([...(currentTarget.files ?? [])])]}
            />
          </Input.Wrapper>
        )}
      </div>
      {error && faults.length === 0 && (
        <Notice tone="problem">
          <ReadError error={error} />
        </Notice>
      )}
      {isOutdated && <Notice tone="problem">{model.plan.outdated}</Notice>}
      {read.data && <div role="status">{model.importing.found(read.data.schemas.length, read.data.notes.length)}</div>}
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
          <summary>{model.importing.notes(read.data.notes.length)}</summary>
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
function ReadError({ error }: { error: Error }) {
  const { model } = useTexts('model');
  if (error instanceof BrokenZip) return `${error.file}: ${model.importing[error.reason]}`;
  return error instanceof SyntaxError ? model.noJson : explainAsText(error, refusalMessages(model));
}
