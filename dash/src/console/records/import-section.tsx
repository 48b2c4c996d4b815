import { Button, Input } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useId, useState } from 'react';
import { explainAsText } from '../../api/explain.js';
import { useTexts } from '../../texts/texts.js';
import { Notice } from '../../ui/notice.js';
import { startImport, type ImportOptions, listImports } from '../data/imports-api.js';
import type { RecordSchema } from '../data/record-schema.js';
import type { RecordContext } from '../data/records-api.js';
import { Choice } from '../frame/choice.js';
import { UploadProgress } from '../fields/upload-progress.js';
import { ImportCard, IMPORTS } from './import-card.js';
import { type Delimiter, DELIMITERS } from './import-columns.js';
import { ImportColumns } from './import-columns-table.js';
import { useImportColumns } from './use-import-columns.js';
import { formatOf, isActive, shownImports } from './import-file.js';
import classes from './records.module.css';

interface ImportSectionProps {
  readonly context: RecordContext;
  readonly schema: RecordSchema;
  readonly canUpdate: boolean;
  readonly onDone: () => void;
  readonly onClose: () => void;
  readonly onActiveChange: (isActive: boolean) => void;
}

const MODES = ['create', 'update', 'upsert'] as const;
const DELIMITER_NAMES = Object.keys(DELIMITERS) as Delimiter[];
const POLL_INTERVAL_MS = 500;

/**
 * Imports records from a file. The service validates it first and reports faults by row. Nothing is written before the user confirms. The
 * service continues the import without the page.
 */
export function ImportSection({ context, schema, canUpdate, onDone, onClose, onActiveChange }: ImportSectionProps) {
  const { records } = useTexts('records');
  const queries = useQueryClient();
  const [title, input] = [useId(), useId()];
  const [file, setFile] = useState<File | null>(null);
  const [uploaded, setUploaded] = useState(0);
  const [options, setOptions] = useState<ImportOptions>({
    mode: 'create',
    key: schema.key,
    delimiter: 'comma',
    columns: null,
  });
  const format = file === null ? 'csv' : formatOf(file.name);
  const isCsv = file !== null && format === 'csv';
  const columns = useImportColumns(context, schema, isCsv ? file : null, options.delimiter);
  // The user sees the detected delimiter and can change it.
  useEffect(() => {
    if (columns.likely !== null)
      setOptions((previous) => ({ ...previous, delimiter: columns.likely ?? previous.delimiter }));
  }, [columns.likely, file]);
  const start = useMutation({
    mutationFn: () =>
      startImport(
        schema,
        file ?? new Blob(),
        format,
        { ...options, columns: isCsv ? columns.parameter : null },
        setUploaded,
      ),
    onMutate: () => setUploaded(0),
    onSettled: () => queries.invalidateQueries({ queryKey: IMPORTS }),
  });
  const imports = useQuery({
    queryKey: IMPORTS,
    queryFn: listImports,
    refetchInterval: ({ state }) => (state.data?.some(isActive) ? POLL_INTERVAL_MS : false),
  });
  const shown = shownImports(imports.data ?? [], schema.name);
  const written = shown.flatMap((item) => (isActive(item) ? [] : [item.created, item.updated, item.removed])).join();
  useEffect(onDone, [written]);
  const isBusy = start.isPending || shown.some(isActive);
  useEffect(() => {
    if (imports.data !== undefined || isBusy) onActiveChange(isBusy);
  }, [imports.data === undefined, isBusy]);
  const error = start.error ?? imports.error;
  const keys = schema.fields.filter(({ target, filterable }) => target === undefined && filterable);
  return (
    <section className={classes.import} aria-labelledby={title}>
      <h2 id={title}>{records.import.title}</h2>
      <div className={classes.note}>{records.import.lead}</div>
      <div className={classes.bar}>
        <Input.Wrapper label={records.import.file} id={input} size="xs">
          <input
            id={input}
            type="file"
            accept=".csv,.tsv,.txt,.ndjson,.jsonl,.json"
            onChange={({ currentTarget }) => [start.reset(), setFile(currentTarget.files?.[0] ?? null)]}
          />
        </Input.Wrapper>
        {format === 'csv' && (
          <Choice
            size="xs"
            label={records.import.delimiter}
            options={DELIMITER_NAMES.map((name) => [name, records.import.delimiters[name]])}
            value={options.delimiter}
            onChange={(delimiter) => setOptions({ ...options, delimiter })}
          />
        )}
        {canUpdate && (
          <Choice
            size="xs"
            label={records.import.mode}
            options={MODES.map((name) => [name, records.import.modes[name]])}
            value={options.mode}
            onChange={(mode) => setOptions({ ...options, mode })}
          />
        )}
        {options.mode !== 'create' && (
          <Choice
            size="xs"
            label={records.import.key}
            options={keys.map(({ name, label }) => [name, label])}
            value={options.key}
            onChange={(key) => setOptions({ ...options, key })}
          />
        )}
      </div>
      {isCsv && columns.head.headings.length > 0 && (
        <ImportColumns
          head={columns.head}
          schema={schema}
          targets={columns.targets}
          choices={columns.choices}
          onChoices={columns.choose}
        />
      )}
      <div className={classes.bar}>
        <Button
          size="sm"
          variant={shown.some(({ plan }) => plan !== null) ? 'default' : 'filled'}
          disabled={file === null || (isCsv && !columns.isComplete)}
          loading={start.isPending}
          onClick={() => start.mutate()}
        >
          {records.import.check}
        </Button>
        <Button size="sm" variant="default" onClick={onClose}>
          {records.close}
        </Button>
        {start.isPending && <UploadProgress label={records.import.steps.receiving()} progress={uploaded} />}
      </div>
      {error && (
        <Notice tone="problem">{explainAsText(error, { imports_pending: { text: records.import.pending } })}</Notice>
      )}
      {shown.map((job) => (
        <ImportCard key={job.id} schema={schema} job={job} />
      ))}
    </section>
  );
}
