import { Button, Input } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useId, useState } from 'react';
import { explainInWords } from '../../api/explain.js';
import { useTexts } from '../../texts/texts.js';
import { Notice } from '../../ui/notice.js';
import type { RecordSchema } from '../data/record-schema.js';
import { importRecords, type ImportOptions } from '../data/records-api.js';
import { Choice } from '../frame/choice.js';
import { faultsOf, formatOf } from './import-file.js';
import { ImportFaults } from './import-faults.js';
import classes from './records.module.css';

interface ImportSectionProps {
  readonly schema: RecordSchema;
  /** Whether records that are there may be changed. */
  readonly mayUpdate: boolean;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

const MODES = ['create', 'update', 'upsert'] as const;
const DELIMITERS = ['comma', 'semicolon', 'tab'] as const;

/** Brings the records of a file in: it is checked first, with every fault at its row, and nothing is written before that is seen. */
export function ImportSection({ schema, mayUpdate, onDone, onClose }: ImportSectionProps) {
  const { records } = useTexts('records');
  const [title, input] = [useId(), useId()];
  const [file, setFile] = useState<File | null>(null);
  const [options, setOptions] = useState<ImportOptions>({ mode: 'create', key: schema.key, delimiter: 'comma' });
  const format = file === null ? 'csv' : formatOf(file.name);
  const run = (isDryRun: boolean) => importRecords(schema, file ?? new Blob(), format, options, isDryRun);
  const check = useMutation({ mutationFn: () => run(true) });
  const bring = useMutation({ mutationFn: () => run(false), onSuccess: onDone });
  const [forgetCheck, forgetBring] = [check.reset, bring.reset];
  // What was said is about this file, read in this way.
  useEffect(() => [forgetCheck, forgetBring].forEach((forget) => forget()), [file, options, forgetCheck, forgetBring]);
  const error = bring.error ?? check.error;
  const faults = faultsOf(error);
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
            onChange={({ currentTarget }) => setFile(currentTarget.files?.[0] ?? null)}
          />
        </Input.Wrapper>
        {format === 'csv' && (
          <Choice
            size="xs"
            label={records.import.delimiter}
            options={DELIMITERS.map((name) => [name, records.import.delimiters[name]])}
            value={options.delimiter}
            onChange={(delimiter) => setOptions({ ...options, delimiter })}
          />
        )}
        {mayUpdate && (
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
      {error && <Notice tone="problem">{faults ? records.import.faults(faults.total) : explainInWords(error)}</Notice>}
      {faults && <ImportFaults faults={faults} />}
      {check.data && !bring.data && !error && (
        <Notice tone="plain">
          {records.import.would(check.data.created, check.data.updated)}
          {check.data.ignored.length > 0 && ` ${records.import.ignored(check.data.ignored.join(', '))}`}
        </Notice>
      )}
      {bring.data && <Notice tone="success">{records.import.did(bring.data.created, bring.data.updated)}</Notice>}
      <div className={classes.bar}>
        <Button
          size="sm"
          variant={check.data ? 'default' : 'filled'}
          disabled={file === null || bring.isPending}
          loading={check.isPending}
          onClick={() => check.mutate()}
        >
          {records.import.check}
        </Button>
        {check.data && !bring.data && (
          <Button size="sm" loading={bring.isPending} onClick={() => bring.mutate()}>
            {records.import.go(check.data.rows)}
          </Button>
        )}
        <Button size="sm" variant="default" onClick={onClose}>
          {records.close}
        </Button>
      </div>
    </section>
  );
}
