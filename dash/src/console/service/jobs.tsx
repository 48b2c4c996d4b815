import type { JobPage } from '../../api/openapi.js';
import { useTexts } from '../../texts/texts.js';
import { When } from '../../ui/when.js';
import { useMay } from '../frame/use-may.js';
import { Queue, QueueRow } from './queue.js';
import { type JobState, listJobs, retryJob } from './service-api.js';

const STATES: readonly JobState[] = ['waiting', 'running', 'failed'];

export function Jobs() {
  const { locale, service } = useTexts('service');
  const { jobs: words } = service;
  const may = useMay();
  return (
    <Queue
      part="jobs"
      states={STATES}
      words={words}
      list={listJobs}
      wording={{
        job_not_found: { text: words.gone },
        job_planned: { text: words.planned },
        job_replaced: { text: words.replaced },
      }}
      row={(job, deed) => (
        <QueueRow
          key={job.id}
          name={job.kind}
          state={words.states[job.state]}
          isBad={job.state === 'failed'}
          notes={
            <>
              {job.recurs
                ? scheduleText(job.schedule, words, locale)
                : words.since(<When time={job.created_at} as="age" />)}
              {job.attempts > 0 && <> · {words.attempts(job.attempts)}</>}
              {job.recurs
                ? job.next_run_at !== null && <> · {words.next(<When time={job.next_run_at} />)}</>
                : job.due_at !== null && <> · {words.due(<When time={job.due_at} />)}</>}
              {job.last_run_at !== null && <> · {words.last(<When time={job.last_run_at} />)}</>}
            </>
          }
          fault={job.fault}
          {...(may('jobs.retry') &&
            canBegin(job) && {
              retry: {
                label: words.begin,
                name: words.beginOne(job.kind),
                run: () => deed.run(words.begun, () => retryJob(job.id)),
              },
            })}
        />
      )}
    />
  );
}

function scheduleText(
  schedule: JobPage['items'][number]['schedule'],
  words: ReturnType<typeof useTexts<'service'>>['service']['jobs'],
  locale: string,
): string {
  if (schedule === null) return words.recurs;
  if (schedule.cron !== null) return words.cron(schedule.cron, schedule.time_zone ?? 'UTC');
  return words.every(intervalText(schedule.every_seconds ?? 0, locale));
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
function canBegin({ state, recurs, attempts }: JobPage['items'][number]): boolean {
  return state === 'failed' || (state === 'waiting' && (recurs || attempts > 0));
}
