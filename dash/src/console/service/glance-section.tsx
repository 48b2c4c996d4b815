import { TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Measurement } from '../../api/openapi.js';
import account from '../../pages/account/account.module.css';
import { Section } from '../../pages/account/section.js';
import { useTexts } from '../../texts/texts.js';
import { Loading } from '../../ui/loading.js';
import { TryAgain } from '../../ui/try-again.js';
import { When } from '../../ui/when.js';
import { sizeText } from '../../ui/size-text.js';
import { glanceOf, type Tile } from './glance.js';
import { measure, SERVICE } from './service-api.js';
import classes from './service.module.css';

const POLL_INTERVAL_MS = 10_000;

export function Glance() {
  const { service } = useTexts('service');
  const { glance: texts } = service;
  const { data, error, refetch } = useQuery({
    queryKey: [...SERVICE, 'glance'],
    queryFn: measure,
    refetchInterval: POLL_INTERVAL_MS,
  });
  return (
    <Section title={service.partNames.glance} lead={texts.lead}>
      {error ? <TryAgain error={error} onRetry={() => void refetch()} /> : !data && <Loading />}
      {data && (
        <>
          <dl className={classes.tiles}>
            {glanceOf(data).map((tile) => (
              <div key={tile.name} data-bad={tile.needsAttention || undefined}>
                <dt>{texts.tiles[tile.name]}</dt>
                <dd>
                  <TileValue tile={tile} />
                  {tile.needsAttention && (
                    <span className={classes.state} data-bad>
                      {texts.needsAttention}
                    </span>
                  )}
                </dd>
              </div>
            ))}
          </dl>
          <div className={account.rowNote}>
            {texts.process(data.process.node, data.process.worker, Math.round(data.process.processor_seconds))}
          </div>
          <details className={classes.measures}>
            <summary>{texts.everything}</summary>
            <AllMetrics metrics={data.metrics} />
          </details>
        </>
      )}
    </Section>
  );
}

function TileValue({ tile: { value, form, of } }: { tile: Tile }) {
  const { service, locale } = useTexts('service');
  const number = (count: number): string => new Intl.NumberFormat(locale, { maximumFractionDigits: 0 }).format(count);
  if (form === 'moment')
    return value === 0 ? service.glance.never : <When time={new Date(value * 1_000).toISOString()} as="age" />;
  if (form === 'bytes') return sizeText(value, locale);
  if (form === 'yes') return value === 0 ? service.glance.no : service.glance.yes;
  if (form === 'seconds') return service.glance.seconds(Math.round(value));
  return of === undefined ? number(value) : service.glance.of(number(value), number(of));
}

function AllMetrics({ metrics }: Pick<Measurement, 'metrics'>) {
  const { service, locale } = useTexts('service');
  const { glance: texts } = service;
  const [text, setText] = useState('');
  const query = text.trim().toLowerCase();
  const shown = metrics.filter(({ name, help }) => `${name} ${help}`.toLowerCase().includes(query));
  const number = new Intl.NumberFormat(locale);
  return (
    <>
      <TextInput
        type="search"
        label={texts.search}
        className={classes.filter}
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
        autoComplete="off"
        spellCheck={false}
      />
      {shown.length === 0 && (
        <div role="status" className={account.rowNote}>
          {texts.none}
        </div>
      )}
      <dl className={classes.settings}>
        {shown.map(({ name, help, values }) => (
          <div key={name}>
            <dt>
              <code>{name}</code>
              <div className={account.rowNote} lang="en">
                {help}
              </div>
            </dt>
            <dd>
              <ul className={classes.values}>
                {values
                  .filter(({ value }) => values.length === 1 || value !== 0)
                  .map(({ labels, value }) => (
                    <li key={Object.values(labels).join(' ')}>
                      {Object.values(labels).join(' · ')} <strong>{number.format(value)}</strong>
                    </li>
                  ))}
              </ul>
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}
