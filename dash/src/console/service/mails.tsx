import { useTexts } from '../../texts/texts.js';
import { When } from '../../ui/when.js';
import { useCan } from '../frame/use-can.js';
import { Queue, QueueRow } from './queue.js';
import { TestMail } from './test-mail.js';
import { listMails, type MailState, retryMail } from './service-api.js';

const STATES: readonly MailState[] = ['pending', 'failed'];

export function Mails() {
  const { mails: texts } = useTexts('service').service;
  const can = useCan();
  return (
    <Queue
      part="mails"
      states={STATES}
      texts={texts}
      list={listMails}
      messages={{ mail_not_found: { text: texts.missing }, mail_off: { text: texts.off } }}
      {...(can('mails.test') && { more: (action) => <TestMail action={action} /> })}
      row={({ id, state, template, recipient, attempts, fault, created_at: created, due_at: due }, action) => (
        <QueueRow
          key={id}
          name={recipient}
          state={texts.states[state]}
          hasFailed={state === 'failed'}
          notes={
            <>
              <code>{template}</code> · {texts.written(<When time={created} as="age" />)} · {texts.attempts(attempts)}
              {due !== null && <> · {texts.due(<When time={due} />)}</>}
            </>
          }
          fault={fault}
          {...(can('mails.retry') && {
            retry: {
              label: texts.retry,
              name: texts.retryOne(template, recipient),
              run: () => action.run(texts.retried, () => retryMail(id)),
            },
          })}
        />
      )}
    />
  );
}
