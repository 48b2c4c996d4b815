import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { explainAsText } from '../../api/explain.js';
import type { RecordImport } from '../../api/openapi.js';
import { useTexts } from '../../texts/texts.js';
import { Notice } from '../../ui/notice.js';
import { saveFile } from '../../ui/save-file.js';
import { dismissImport, continueImport, readImportFaults, saveImportFaults } from '../data/imports-api.js';
import { actionsOf, type ImportAction, isActive, progressOf } from './import-file.js';
import type { RecordSchema } from '../data/record-schema.js';
import { ImportFaults } from './import-faults.js';
import classes from './records.module.css';

export const IMPORTS = ['records', 'imports'] as const;

interface ImportCardProps {
  readonly schema: RecordSchema;
  readonly job: RecordImport;
}

export function ImportCard({ schema, job }: ImportCardProps) {
  const { records } = useTexts('records');
  const queries = useQueryClient();
  const act = useMutation({
    mutationFn: (action: ImportAction) => run(job, action),
    onSettled: () => queries.invalidateQueries({ queryKey: IMPORTS }),
  });
  const progress = progressOf(job);
  return (
    <div className={classes.imported} role="group" aria-label={records.import.of(job.rows)}>
      {progress === null ? (
        <State job={job} />
      ) : (
        <label className={classes.bar}>
          <progress max={Math.max(progress.of, 1)} value={progress.done} />
          {records.import.steps[progress.step](progress.done, progress.of)}
        </label>
      )}
      {act.error && <Notice tone="problem">{explainAsText(act.error)}</Notice>}
      {job.faults > 0 && !isActive(job) && <Faults schema={schema} job={job} />}
      <div className={classes.bar}>
        {actionsOf(job).map((action) => (
          <Button
            key={action}
            size="sm"
            variant={action === 'apply' || action === 'skip' ? 'filled' : 'default'}
            loading={act.isPending && act.variables === action}
            disabled={act.isPending}
            onClick={() => act.mutate(action)}
          >
            {action === 'apply' ? records.import.go(job.rows - job.applied) : records.import.actions[action]}
          </Button>
        ))}
      </div>
    </div>
  );
}

function State({ job }: { readonly job: RecordImport }) {
  const { records } = useTexts('records');
  const { state, faults, created, updated, removed, would_create: toCreate, would_update: toUpdate } = job;
  const ignored = job.ignored.length > 0 ? ` ${records.import.ignored(job.ignored.join(', '))}` : '';
  if (state === 'done') return <Notice tone="success">{records.import.done(created, updated) + ignored}</Notice>;
  if (state === 'undone') return <Notice tone="success">{records.import.undone(removed)}</Notice>;
  if (state === 'cancelled') return <Notice tone="plain">{records.import.cancelled(created, updated)}</Notice>;
  if (state === 'stopped') return <Notice tone="problem">{records.import.stopped(created, updated)}</Notice>;
  if (faults > 0) return <Notice tone="problem">{records.import.faults(faults)}</Notice>;
  return <Notice tone="plain">{records.import.would(toCreate, toUpdate) + ignored}</Notice>;
}

function Faults({ schema, job: { id, faults: total, state } }: ImportCardProps) {
  const { records } = useTexts('records');
  const found = useQuery({ queryKey: [...IMPORTS, id, state, total], queryFn: () => readImportFaults(id) });
  const save = useMutation({
    mutationFn: () => saveImportFaults(id),
    onSuccess: (file) => saveFile(file, `${records.import.faultsFile}.csv`),
  });
  const error = found.error ?? save.error;
  return (
    <>
      {error && <Notice tone="problem">{explainAsText(error)}</Notice>}
      {found.data && <ImportFaults schema={schema} faults={found.data.items} total={total} />}
      <div>
        <Button variant="default" size="xs" loading={save.isPending} onClick={() => save.mutate()}>
          {records.import.saveFaults}
        </Button>
      </div>
    </>
  );
}

async function run({ id, plan }: RecordImport, action: ImportAction): Promise<unknown> {
  if (action === 'forget') return dismissImport(id);
  if (action === 'skip') return continueImport(id, 'apply', { plan, skip_faulty: true });
  return continueImport(id, action, action === 'apply' ? { plan } : {});
}
