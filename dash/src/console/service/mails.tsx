import { useTexts } from '../../texts/texts.js';
import { When } from '../../ui/when.js';
import { useMay } from '../frame/use-may.js';
import { Queue, QueueRow } from './queue.js';
import { TestMail } from './test-mail.js';
import { listMails, type MailState, retryMail } from './service-api.js';

const STATES: readonly MailState[] = ['pending', 'failed'];

export function Mails() {
  const { mails: words } = useTexts('service').service;
  const may = useMay();
  return (
    <Queue
      part="mails"
      states={STATES}
      words={words}
      list={listMails}
      wording={{ mail_not_found: { text: words.gone }, mail_off: { text: words.off } }}
      {...(may('mails.test') && { more: (deed) => <TestMail deed={deed} /> })}
      row={({ id, state, template, recipient, attempts, fault, created_at: created, due_at: due }, deed) => (
        <QueueRow
          key={id}
          name={recipient}
          state={words.states[state]}
          isBad={state === 'failed'}
          notes={
            <>
              <code>{template}</code> · {words.written(<When time={created} as="age" />)} · {words.attempts(attempts)}
              {due !== null && <> · {words.due(<When time={due} />)}</>}
            </>
          }
          fault={fault}
          {...(may('mails.retry') && {
            retry: {
              label: words.retry,
              name: words.retryOne(template, recipient),
              run: () => deed.run(words.retried, () => retryMail(id)),
            },
          })}
        />
      )}
    />
  );
}
