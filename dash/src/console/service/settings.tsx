import { TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import account from '../../pages/account/account.module.css';
import { Section } from '../../pages/account/section.js';
import { useTexts } from '../../texts/texts.js';
import { Loading } from '../../ui/loading.js';
import { TryAgain } from '../../ui/try-again.js';
import { listSettings, SERVICE } from './service-api.js';
import classes from './service.module.css';

export function Settings() {
  const { service } = useTexts('service');
  const { settings: texts } = service;
  const defaults: Readonly<Record<string, string>> = texts.defaults;
  const [text, setText] = useState('');
  const [isSetOnly, setSetOnly] = useState(false);
  const { data, error, refetch } = useQuery({ queryKey: [...SERVICE, 'settings'], queryFn: listSettings });
  const query = text.trim().toUpperCase();
  const rows = data?.filter(({ name, source }) => name.includes(query) && (!isSetOnly || source === 'set'));
  return (
    <Section title={service.partNames.settings} lead={texts.lead}>
      <div className={classes.filters}>
        <TextInput
          type="search"
          label={texts.search}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
          autoComplete="off"
          spellCheck={false}
        />
        <label className={classes.check}>
          <input
            type="checkbox"
            checked={isSetOnly}
            onChange={({ currentTarget }) => setSetOnly(currentTarget.checked)}
          />
          {texts.setOnly}
        </label>
      </div>
      {error ? <TryAgain error={error} onRetry={() => void refetch()} /> : !data && <Loading />}
      {rows?.length === 0 && (
        <div role="status" className={account.rowNote}>
          {texts.none}
        </div>
      )}
      {rows && rows.length > 0 && (
        <dl className={classes.settings}>
          {rows.map(({ name, value, source }) => (
            <div key={name}>
              <dt>
                <code>{name}</code>
              </dt>
              <dd>
                {value === '' ? (
                  <span className={account.rowNote}>{texts.empty}</span>
                ) : (
                  <code>{(source === 'default' ? defaults[value] : undefined) ?? value}</code>
                )}
                {source === 'set' && <span className={classes.state}>{texts.set}</span>}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </Section>
  );
}
