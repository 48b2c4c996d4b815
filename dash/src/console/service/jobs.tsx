import type { JobPage } from '../../api/openapi.js';
import { useTexts } from '../../texts/texts.js';
import { When } from '../../ui/when.js';
import { useCan } from '../frame/use-can.js';
import { Queue, QueueRow } from './queue.js';
import { type JobState, listJobs, retryJob } from './service-api.js';

const STATES: readonly JobState[] = ['waiting', 'running', 'failed'];

export function Jobs() {
  const { locale, service } = useTexts('service');
  const { jobs: texts } = service;
  const can = useCan();
  return (
    <Queue
      part="jobs"
      states={STATES}
      texts={texts}
      list={listJobs}
      messages={{
        job_not_found: { text: texts.missing },
        job_planned: { text: texts.planned },
        job_replaced: { text: texts.replaced },
      }}
      row={(job, action) => (
        <QueueRow
          key={job.id}
          name={job.kind}
          state={texts.states[job.state]}
          hasFailed={job.state === 'failed'}
          notes={
            <>
              {job.recurs
                ? scheduleText(job.schedule, texts, locale)
                : texts.since(<When time={job.created_at} as="age" />)}
              {job.attempts > 0 && <> · {texts.attempts(job.attempts)}</>}
              {job.recurs
                ? job.next_run_at !== null && <> · {texts.next(<When time={job.next_run_at} />)}</>
                : job.due_at !== null && <> · {texts.due(<When time={job.due_at} />)}</>}
              {job.last_run_at !== null && <> · {texts.last(<When time={job.last_run_at} />)}</>}
            </>
          }
          fault={job.fault}
          {...(can('jobs.retry') &&
            canStart(job) && {
              retry: {
                label: texts.start,
                name: texts.startOne(job.kind),
                run: () => action.run(texts.started, () => retryJob(job.id)),
              },
            })}
        />
      )}
    />
  );
}

function scheduleText(
  schedule: JobPage['items'][number]['schedule'],
  texts: ReturnType<typeof useTexts<'service'>>['service']['jobs'],
  locale: string,
): string {
  if (schedule === null) return texts.recurs;
  if (schedule.cron !== null) return texts.cron(schedule.cron, schedule.time_zone ?? 'UTC');
  return texts.every(intervalText(schedule.every_seconds ?? 0, locale));
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** Formats seconds in the largest unit that divides them. */
function intervalText(seconds: number, locale: string): string {
  const [unit, size] = UNITS.find(([, one]) => seconds >= one && seconds % one === 0) ?? UNITS[3];
  return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'short' }).format(seconds / size);
}

/** Returns whether a job can be started immediately. Running jobs and jobs that are scheduled for later cannot. */
function canStart({ state, recurs, attempts }: JobPage['items'][number]): boolean {
  return state === 'failed' || (state === 'waiting' && (recurs || attempts > 0));
}
