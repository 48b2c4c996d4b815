import type { JobPage } from '../../api/openapi.js';
import { useTexts } from '../../texts/texts.js';
import { When } from '../../ui/when.js';
import { useMay } from '../frame/use-may.js';
import { Queue, QueueRow } from './queue.js';
import { type JobState, listJobs, retryJob } from './service-api.js';

const STATES: readonly JobState[] = ['waiting', 'running', 'failed'];

/** Shows work in the background that is not done, or was given up, to be begun at once. */
export function Jobs() {
  const { jobs: words } = useTexts('service').service;
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
              {job.recurs ? words.recurs : words.since(<When time={job.created_at} as="age" />)}
              {job.attempts > 0 && <> · {words.attempts(job.attempts)}</>}
              {job.due_at !== null && <> · {words.due(<When time={job.due_at} />)}</>}
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

/** Returns whether a job can be begun at once. What is under way goes on, and what was planned for later waits for its time. */
function canBegin({ state, recurs, attempts }: JobPage['items'][number]): boolean {
  return state === 'failed' || (state === 'waiting' && (recurs || attempts > 0));
}
