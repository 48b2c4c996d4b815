import { useQuery } from '@tanstack/react-query';
import account from '../../pages/account/account.module.css';
import { Section } from '../../pages/account/section.js';
import { useTexts } from '../../texts/texts.js';
import { Loading } from '../../ui/loading.js';
import { TryAgain } from '../../ui/try-again.js';
import { listMigrations, SERVICE } from './service-api.js';
import classes from './service.module.css';

export function Migrations() {
  const { service } = useTexts('service');
  const { migrations: texts } = service;
  const { data, error, refetch } = useQuery({ queryKey: [...SERVICE, 'migrations'], queryFn: listMigrations });
  const pending = data?.filter(({ applied }) => !applied).length ?? 0;
  return (
    <Section title={service.partNames.migrations} lead={texts.lead}>
      {error ? <TryAgain error={error} onRetry={() => void refetch()} /> : !data && <Loading />}
      {data && (
        <>
          <div role="status">{pending === 0 ? texts.all(data.length) : texts.pending(pending)}</div>
          <dl className={classes.settings}>
            {[...data].reverse().map(({ name, of, applied }) => (
              <div key={`${of} ${name}`}>
                <dt>
                  <code>{name}</code>
                </dt>
                <dd>
                  <span className={account.rowNote}>{texts.owners[of]}</span>
                  <span className={classes.state} data-bad={!applied || undefined}>
                    {applied ? texts.applied : texts.waits}
                  </span>
                </dd>
              </div>
            ))}
          </dl>
        </>
      )}
    </Section>
  );
}
